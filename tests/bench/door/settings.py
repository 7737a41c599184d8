"""The product's own settings, with the two endpoints it is compared with beside its addresses. Nothing else differs."""

from settings.base import *  # noqa: F403
from settings.base import INSTALLED_APPS as PRODUCT

INSTALLED_APPS = [*PRODUCT, "tests.bench.door.plain"]
ROOT_URLCONF = "tests.bench.door.urls"
