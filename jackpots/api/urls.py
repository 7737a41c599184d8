from django.urls import path

from jackpots.api import controllers, events, hits, meters, payouts, rulebook

urlpatterns = [
    path("events/", events.Events.as_view(), name="events"),
    path("controllers/me/", controllers.Me.as_view(), name="controller-me"),
    path("controllers/me/heartbeat/", controllers.Heartbeat.as_view(), name="controller-heartbeat"),
    path("meters/", meters.Meters.as_view(), name="meters"),
    path("meters/<slug:slug>/", meters.Meter.as_view(), name="meter"),
    path("hits/", hits.Hits.as_view(), name="hits"),
    path("hits/<str:number>/", hits.OneHit.as_view(), name="hit"),
    path("hits/<str:number>/approve/", hits.Approve.as_view(), name="hit-approve"),
    path("hits/<str:number>/reject/", hits.Reject.as_view(), name="hit-reject"),
    path("hits/<str:number>/hold/", hits.Hold.as_view(), name="hit-hold"),
    path("payouts/", payouts.Payouts.as_view(), name="payouts"),
    path("payouts/<str:number>/paid/", payouts.Paid.as_view(), name="payout-paid"),
    path("payouts/<str:number>/slip.pdf", payouts.SlipPaper.as_view(), name="payout-slip"),
    path("rulebook/", rulebook.Rulebook.as_view(), name="rulebook"),
    path("rulebook/<slug:game>/", rulebook.OneGame.as_view(), name="rulebook-game"),
]
