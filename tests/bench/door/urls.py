"""The product's addresses, and the two it is compared with."""

from django.urls import URLPattern, URLResolver, include, path
from rest_framework.routers import SimpleRouter

from settings import urls
from tests.bench.door.insert_only import InsertOnly
from tests.bench.door.plain.views import Lockouts

router = SimpleRouter()
router.register("plain", Lockouts)

urlpatterns: list[URLPattern | URLResolver] = [
    path("bench/insert/", InsertOnly.as_view()),
    path("bench/", include(router.urls)),
    *urls.urlpatterns,
]
