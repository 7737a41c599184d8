from django.urls import path

from jackpots.pages import account, cage, floor, proofline, rulebook, signage, technician

urlpatterns = [
    path("", account.home, name="home"),
    path("login/", account.login, name="login"),
    path("logout/", account.logout, name="logout"),
    path("sign/", signage.signs, name="signs"),
    path("sign/<slug:slug>/", signage.sign, name="sign"),
    path("floor/", floor.console, name="floor"),
    path("floor/queue/", floor.queue, name="floor-queue"),
    path("floor/meters/", floor.meters, name="meters"),
    path("floor/hits/<str:number>/", floor.one_hit, name="floor-hit"),
    path("floor/hits/<str:number>/panel/", floor.panel, name="floor-hit-panel"),
    path("floor/hits/<str:number>/decide/", floor.decide, name="floor-hit-decide"),
    path("cage/", cage.console, name="cage"),
    path("cage/due/", cage.due, name="cage-due"),
    path("cage/payouts/<str:number>/paid/", cage.pay, name="cage-pay"),
    path("technician/controllers/", technician.listing, name="controllers-page"),
    path("technician/controllers/<str:name>/", technician.one, name="controller-page"),
    path("technician/controllers/<str:name>/act/", technician.act, name="controller-act"),
    path("accounting/progressives/", proofline.listing, name="proof-lines"),
    path("accounting/progressives/<slug:slug>/", proofline.page, name="proof-line"),
    path("rules/", rulebook.shelf, name="rules"),
    path("rules/<slug:rule_text>/<slug:game>/", rulebook.entry, name="rules-entry"),
]
