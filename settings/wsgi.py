"""The doors and pages, for a WSGI server."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settings.base")
application = get_wsgi_application()

from jackpots import rulebook  # noqa: E402  (Django must be set up before the rooms are entered)
from settings import env  # noqa: E402

# A server runs none of Django's checks. A rule text that cannot be taken stops it here, and not at the first claim.
if complaint := rulebook.complaint():
    raise env.BadEnvironment(complaint)
