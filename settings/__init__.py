"""The site: the only room that knows all the others."""

from settings.celery import app as celery_app

__all__ = ["celery_app"]
