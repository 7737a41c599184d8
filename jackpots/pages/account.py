"""The front door: who you are, and where you go from here."""

from django.contrib.auth import views as auth_views
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from audit.people.models import Person
from jackpots.pages import admission

login = auth_views.LoginView.as_view(template_name="jackpots/login.html", redirect_authenticated_user=True)
logout = auth_views.LogoutView.as_view()


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Whoever works at one of the consoles is taken there; everybody else is shown the doors of the house."""
    doors = admission.doors_of(request.user) if isinstance(request.user, Person) else []
    if doors:
        return redirect(doors[0][0])
    return admission.show(request, "jackpots/home.html", {})
