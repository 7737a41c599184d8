"""The test run: the same settings, with cheap password hashing and unhashed static names."""

from settings.base import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
COOKIES_ARE_SECURE = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = False
# Static files are served from where they lie; nothing is collected for a test.
WHITENOISE_AUTOREFRESH = True
WHITENOISE_USE_FINDERS = True
