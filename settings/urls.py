"""Every address of the site."""

from django.urls import URLPattern, URLResolver, include, path

from settings import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.alive),
    path("readyz", health.ready),
    path("api/v1/", include("settings.api_urls")),
    path("", include("jackpots.pages.urls")),
]

handler400 = "audit.api.problems.bad_request"
handler403 = "audit.api.problems.forbidden"
handler404 = "audit.api.problems.not_found"
handler500 = "audit.api.problems.server_error"
