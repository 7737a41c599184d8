"""Everything, from the environment. Production is this file; there is no line that only production has."""

import pathlib

from settings import env
from settings.celery import BEAT_SCHEDULE, broker_options

BASE_DIR = pathlib.Path(__file__).resolve().parent.parent
VAR_DIR = env.path("LINKMETER_VAR", BASE_DIR / "var")

SECRET_KEY = env.text("SECRET_KEY")
DEBUG = env.boolean("DEBUG", default=False)
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
# Secure cookies are the rule; only the embedded set-up, which speaks plain HTTP on one machine, turns them off.
COOKIES_ARE_SECURE = env.boolean("COOKIES_ARE_SECURE", default=True)

INSTALLED_APPS = [
    "audit.people",
    "audit",
    "tables",
    "jackpots.ledger",
    "jackpots",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "settings.middleware.RequestId",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "settings.urls"
WSGI_APPLICATION = "settings.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "settings" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        **env.database("DATABASE_URL"),
        "CONN_MAX_AGE": env.whole_number("DATABASE_CONNECTION_SECONDS", 600),
        "CONN_HEALTH_CHECKS": True,
    }
}
# A lock that cannot be had, or a client that went away inside a transaction, must end by itself: both are "try again". What is planned
# once on a connection is planned for any values: to look at them each time would cost what planning once saves.
DATABASES["default"]["OPTIONS"] = {
    **DATABASES["default"]["OPTIONS"],
    "options": "-c lock_timeout=2s -c statement_timeout=15s -c idle_in_transaction_session_timeout=15s"
    " -c plan_cache_mode=force_generic_plan",
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "people.Person"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTHENTICATION_BACKENDS = ["audit.people.login.SlowedBackend"]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
SESSION_COOKIE_AGE = env.whole_number("SESSION_SECONDS", 12 * 3600)
SESSION_COOKIE_SECURE = COOKIES_ARE_SECURE
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = COOKIES_ARE_SECURE
CSRF_FAILURE_VIEW = "audit.api.problems.csrf_failure"
# Behind a proxy that ends TLS: which addresses people see, and that the proxy says over which protocol they came.
CSRF_TRUSTED_ORIGINS = env.words("TRUSTED_ORIGINS", "")
if env.boolean("IS_BEHIND_TLS_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
CONTENT_SECURITY_POLICY = {"DIRECTIVES": {"default-src": ["'self'"], "img-src": ["'self'", "data:"], "frame-ancestors": ["'none'"]}}

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en-us"
USE_I18N = False

STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "settings" / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "tables.api.authentication.ControllerAuthentication",
        "audit.api.authentication.PersonAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["audit.api.strict.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "audit.api.problems.answer",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Linkmeter",
    "VERSION": "1",
    "DESCRIPTION": "Progressive jackpots on casino table games: events from table controllers, meters, hits, payouts, evidence.",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    # Fields of one name whose values differ need names of their own in the published schema.
    "ENUM_NAME_OVERRIDES": {
        "ControllerStateEnum": ["alive", "silent", "never-heard", "revoked"],
        "AlarmKindEnum": ["silent", "counts-differ"],
        "ShowingVerdictEnum": ["agrees", "behind", "stale", "differs"],
        "ItemKindEnum": ["difference", "out-of-turn", "late", "paid-and-voided"],
        "ShareKindEnum": ["jackpot", "deducted", "fixed", "envy", "difference"],
    },
    # The shapes of events are JSON schemas as they are written today, which older versions of the document cannot carry.
    "OAS_VERSION": "3.1.1",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "jackpots.api.schema.add_events",
        "jackpots.api.completing.complete",
        "settings.openapi.add_stream",
    ],
}

CELERY_BROKER_URL = env.text("BROKER_URL")
CELERY_BROKER_TRANSPORT_OPTIONS = broker_options(CELERY_BROKER_URL)
CELERY_BEAT_SCHEDULE = BEAT_SCHEDULE
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat-schedule")
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_DEFAULT_QUEUE = "linkmeter"
if CELERY_BROKER_URL.startswith("amqp"):
    # Quorum queues survive the loss of a broker node; a topic exchange is what their delayed delivery needs.
    CELERY_TASK_DEFAULT_QUEUE_TYPE = "quorum"
    CELERY_TASK_DEFAULT_EXCHANGE_TYPE = "topic"
    CELERY_WORKER_DETECT_QUORUM_QUEUES = True

# The seal's signing key, and the name under which checkpoints are issued. The key is never in the database.
CHECKPOINT_KEY_FILE = env.path("CHECKPOINT_KEY_FILE", VAR_DIR / "checkpoint.key")
CHECKPOINT_ORIGIN = env.text("CHECKPOINT_ORIGIN", "linkmeter")
# A folder of rule texts of the site's own, beside those that ship with the service.
RULE_TEXT_FOLDER = env.text("RULE_TEXT_FOLDER", "")
# A claim recorded this long after the time its controller gives is marked late.
LATE_CLAIM_SECONDS = env.whole_number("LATE_CLAIM_SECONDS", 60)
# How far the likelihood of the top hand may differ where a discontinued progressive's money goes on.
DISCONTINUE_ODDS_PERCENT = env.whole_number("DISCONTINUE_ODDS_PERCENT", 10)
# How many requests a second a controller may make of a web process, where it has no rate of its own; 0 is without limit.
CONTROLLER_REQUESTS_PER_SECOND = env.whole_number("CONTROLLER_REQUESTS_PER_SECOND", 100)
# A controller not heard of for this long is missed.
CONTROLLER_SILENCE_SECONDS = env.whole_number("CONTROLLER_SILENCE_SECONDS", 60)
PIN_FAILURES_BEFORE_PAUSE = env.whole_number("PIN_FAILURES_BEFORE_PAUSE", 5)
PIN_PAUSE_SECONDS = env.whole_number("PIN_PAUSE_SECONDS", 60)

LOGGING_CONFIG = "settings.logs.configure"
LOGGING = {"level": env.text("LOG_LEVEL", "INFO")}
