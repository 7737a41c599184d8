from django.apps import AppConfig


class PeopleConfig(AppConfig):
    name = "audit.people"
    label = "people"
    verbose_name = "People"
