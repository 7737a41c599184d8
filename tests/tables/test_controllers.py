"""What a technician does to a controller: each act once, by the right person, written down with before and after."""

import datetime
import json
from typing import Any

import pytest

from audit import journal
from audit.people import posts, signing
from audit.people.models import Signature
from tables import controllers, floor
from tables.models import Controller, Table
from tests import cast

pytestmark = pytest.mark.django_db

HOUR = datetime.timedelta(hours=1)
LATER = cast.NOW + datetime.timedelta(minutes=5)


@pytest.fixture
def house(db: None) -> cast.House:
    return cast.house()


@pytest.fixture
def controller(house: cast.House) -> Controller:
    return house.controllers["CSP-01"]


def last_record(kind: str) -> dict[str, Any]:
    return dict(json.loads(journal.records(kind=kind)[0].body))


def names_of(controller: Controller) -> list[str]:
    return sorted(controller.tables.values_list("name", flat=True))


def is_good(token: str, *, at: datetime.datetime) -> bool:
    return controllers.of_token(token, now=at) is not None


def table_next_door(house: cast.House) -> Table:
    theirs = cast.person("theo", place=house.zoe.appointments.get().property, role="technician")
    place = theirs.appointments.get().property
    return floor.open_table(
        property=place, pit="Pit 9", name="CSP-77", rule_text=cast.RULE_TEXT, game="caribbean-stud", seats=7, person=theirs, now=cast.NOW
    )


def test_a_new_token_works_beside_the_old_one_for_the_overlap(house: cast.House, controller: Controller) -> None:
    new = controllers.rotate(controller=controller, person=house.tess, overlap=HOUR, now=cast.NOW)
    old = house.tokens["CSP-01"]
    just_before, end = cast.NOW + HOUR - datetime.timedelta(microseconds=1), cast.NOW + HOUR
    assert [is_good(old, at=cast.NOW), is_good(old, at=just_before), is_good(old, at=end)] == [True, True, False]
    assert is_good(new, at=cast.NOW) and is_good(new, at=end + 1000 * HOUR)


def test_rotating_again_does_not_lengthen_an_overlap(house: cast.House, controller: Controller) -> None:
    controllers.rotate(controller=controller, person=house.tess, overlap=HOUR, now=cast.NOW)
    controllers.rotate(controller=controller, person=house.tess, overlap=2 * HOUR, now=cast.NOW)
    assert not is_good(house.tokens["CSP-01"], at=cast.NOW + HOUR)


def test_without_an_overlap_the_old_token_stops_at_once(house: cast.House, controller: Controller) -> None:
    controllers.rotate(controller=controller, person=house.tess, overlap=datetime.timedelta(0), now=cast.NOW)
    assert not is_good(house.tokens["CSP-01"], at=cast.NOW)


@pytest.mark.parametrize("overlap", [datetime.timedelta(seconds=-1), datetime.timedelta(days=7, seconds=1)])
def test_an_overlap_beyond_a_week_or_before_now_is_refused(house: cast.House, controller: Controller, overlap: datetime.timedelta) -> None:
    with pytest.raises(controllers.OverlapTooLong):
        controllers.rotate(controller=controller, person=house.tess, overlap=overlap, now=cast.NOW)


def test_revoking_stops_every_token_at_once(house: cast.House, controller: Controller) -> None:
    new = controllers.rotate(controller=controller, person=house.tess, overlap=HOUR, now=cast.NOW)
    controllers.revoke(controller=controller, person=house.tess, now=LATER)
    assert not is_good(house.tokens["CSP-01"], at=LATER) and not is_good(new, at=LATER)
    assert last_record("controller-revoked")["facts"]["tokens"] == 2


def test_a_revoked_controller_is_changed_no_more(house: cast.House, controller: Controller) -> None:
    controllers.revoke(controller=controller, person=house.tess, now=cast.NOW)
    acts: list[Any] = [
        lambda: controllers.revoke(controller=controller, person=house.tess, now=LATER),
        lambda: controllers.rotate(controller=controller, person=house.tess, overlap=HOUR, now=LATER),
        lambda: controllers.move(controller=controller, tables=[house.tables["CSP-02"]], person=house.tess, now=LATER),
        lambda: controllers.set_rate(controller=controller, rate=5, person=house.tess, now=LATER),
        lambda: controllers.pass_over(controller=controller, sequence=1, reason="lost", person=house.tess, now=LATER),
    ]
    for act in acts:
        with pytest.raises(controllers.ControllerRevoked):
            act()


def test_a_revoked_controller_is_paired_again_under_its_name_and_its_sequence_goes_on(house: cast.House, controller: Controller) -> None:
    cast.Dealer(house, "CSP-01").lock_out({5: "1.00"})
    controllers.revoke(controller=controller, person=house.tess, now=cast.NOW)
    again, token = controllers.pair(
        property=house.place, name=controller.name, tables=[house.tables["CSP-02"]], person=house.tess, now=LATER
    )
    assert (again.pk, again.next_sequence, names_of(again)) == (controller.pk, 2, ["CSP-02"])
    assert is_good(token, at=LATER) and not is_good(house.tokens["CSP-01"], at=LATER)


def test_a_name_in_use_is_not_given_twice(house: cast.House, controller: Controller) -> None:
    with pytest.raises(controllers.NameTaken):
        controllers.pair(property=house.place, name=controller.name, tables=[house.tables["CSP-02"]], person=house.tess, now=cast.NOW)
    assert names_of(controller) == ["CSP-01"]


@pytest.mark.parametrize("name", ["", "me", "a/b", "a b", "x" * 41, "-x", "x\n"])
def test_a_name_that_cannot_stand_in_an_address_is_refused(house: cast.House, name: str) -> None:
    with pytest.raises(controllers.NameUnusable):
        controllers.pair(property=house.place, name=name, tables=[house.tables["CSP-02"]], person=house.tess, now=cast.NOW)


def test_a_controller_speaks_for_some_table_of_its_own_property(house: cast.House, controller: Controller) -> None:
    with pytest.raises(controllers.TablesMissing):
        controllers.pair(property=house.place, name="NEW", tables=[], person=house.tess, now=cast.NOW)
    with pytest.raises(controllers.TablesMissing):
        controllers.move(controller=controller, tables=[], person=house.tess, now=cast.NOW)
    with pytest.raises(controllers.TableElsewhere):
        controllers.move(controller=controller, tables=[table_next_door(house)], person=house.tess, now=cast.NOW)
    assert names_of(controller) == ["CSP-01"]
    assert not Controller.objects.filter(name="NEW").exists()


def test_a_moved_controller_speaks_for_its_new_table_only(house: cast.House, controller: Controller) -> None:
    controllers.move(controller=controller, tables=[house.tables["CSP-02"]], person=house.tess, now=cast.NOW)
    dealer = cast.Dealer(house, "CSP-01")
    refused = dealer.lock_out({5: "1.00"})
    assert (refused["status"], refused["code"]) == ("refused", "unknown-table")
    dealer.table = "CSP-02"
    assert dealer.lock_out({5: "1.00"})["status"] == "applied"
    facts = last_record("controller-moved")["facts"]
    assert (facts["before"], facts["after"]) == (["CSP-01"], ["CSP-02"])


def test_a_rate_is_set_and_taken_back(house: cast.House, controller: Controller) -> None:
    assert controllers.set_rate(controller=controller, rate=5, person=house.tess, now=cast.NOW).rate == 5
    assert controllers.set_rate(controller=controller, rate=None, person=house.tess, now=cast.NOW).rate is None
    assert last_record("controller-rate-set")["facts"] == {"before": 5, "after": None}


@pytest.mark.parametrize("rate", [0, -1, controllers.FASTEST + 1])
def test_a_rate_that_is_none_is_refused(house: cast.House, controller: Controller, rate: int) -> None:
    with pytest.raises(controllers.RateOutOfBounds):
        controllers.set_rate(controller=controller, rate=rate, person=house.tess, now=cast.NOW)


def test_behind_a_sequence_that_was_passed_over_the_controller_goes_on(house: cast.House, controller: Controller) -> None:
    controllers.pass_over(controller=controller, sequence=1, reason=" lost with the disk ", person=house.tess, now=cast.NOW)
    dealer = cast.Dealer(house, "CSP-01")
    answer = dealer.lock_out({5: "1.00"})
    assert (answer["sequence"], answer["status"]) == (2, "applied")
    facts = last_record("sequence-passed-over")["facts"]
    assert facts == {"sequence": 1, "reason": "lost with the disk", "before": 1, "after": 2}


@pytest.mark.parametrize("sequence", [1, 3])
def test_only_the_next_sequence_is_passed_over(house: cast.House, controller: Controller, sequence: int) -> None:
    cast.Dealer(house, "CSP-01").lock_out({5: "1.00"})
    with pytest.raises(controllers.SequenceMovedOn, match="is 2"):
        controllers.pass_over(controller=controller, sequence=sequence, reason="lost", person=house.tess, now=cast.NOW)


def test_passing_over_needs_a_reason(house: cast.House, controller: Controller) -> None:
    with pytest.raises(controllers.PassingNeedsReason):
        controllers.pass_over(controller=controller, sequence=1, reason="  ", person=house.tess, now=cast.NOW)


def test_the_pin_given_with_an_act_signs_it(house: cast.House, controller: Controller) -> None:
    controllers.set_rate(controller=controller, rate=5, person=house.tess, pin=cast.PIN, now=cast.NOW)
    signature = Signature.objects.get(act="controller-rate-set")
    assert (signature.person, signature.subject, signature.facts) == (
        house.tess,
        f"controller:{controller.name}",
        {"before": None, "after": 5},
    )
    assert last_record("controller-rate-set")["rows"]["people_signature"]["keys"] == [signature.pk]


def test_a_wrong_pin_changes_nothing(house: cast.House, controller: Controller) -> None:
    with pytest.raises(signing.PinWrong):
        controllers.revoke(controller=controller, person=house.tess, pin="0000", now=cast.NOW)
    assert is_good(house.tokens["CSP-01"], at=LATER)


@pytest.mark.parametrize("name", ["sam", "shirin", "flo", "carla", "anna", "piet", "otto", "zoe"])
def test_only_a_technician_of_the_property_does_any_of_it(house: cast.House, controller: Controller, name: str) -> None:
    person, table = house.people[name], house.tables["CSP-02"]
    acts: list[Any] = [
        lambda: controllers.pair(property=house.place, name="NEW", tables=[table], person=person, now=cast.NOW),
        lambda: controllers.move(controller=controller, tables=[table], person=person, now=cast.NOW),
        lambda: controllers.rotate(controller=controller, person=person, overlap=HOUR, now=cast.NOW),
        lambda: controllers.revoke(controller=controller, person=person, now=cast.NOW),
        lambda: controllers.set_rate(controller=controller, rate=1, person=person, now=cast.NOW),
        lambda: controllers.pass_over(controller=controller, sequence=1, reason="lost", person=person, now=cast.NOW),
    ]
    for act in acts:
        with pytest.raises(posts.RoleNeeded):
            act()


@pytest.mark.parametrize("revoked", [None, -1])
@pytest.mark.parametrize("expires", [None, -1, 0, 1])
def test_the_door_and_the_workshop_agree_which_tokens_work(house: cast.House, controller: Controller, revoked: Any, expires: Any) -> None:
    token = controllers.rotate(controller=controller, person=house.tess, overlap=datetime.timedelta(0), now=cast.NOW)
    later = cast.NOW + datetime.timedelta(hours=1)
    ends = {
        name: None if minutes is None else later + datetime.timedelta(minutes=minutes)
        for name, minutes in (("revoked_at", revoked), ("expires_at", expires))
    }
    controller.tokens.filter(hash=controllers.hash_of(token)).update(**ends)
    is_live = controllers.live_tokens(controller, now=later).filter(hash=controllers.hash_of(token)).exists()
    found = controllers.of_token(token, now=later)
    assert (found is not None) == is_live == (revoked is None and expires in (None, 1))
    assert found in (None, controller)


def test_a_token_is_remembered_for_a_moment_and_never_too_many_of_them(
    house: cast.House, controller: Controller, monkeypatch: pytest.MonkeyPatch
) -> None:
    controllers._remembered.clear()
    token = house.tokens["CSP-01"]
    token_hash, second = controllers.hash_of(token), datetime.timedelta(seconds=1)
    assert controllers.remembered(token_hash, now=cast.NOW) is None
    assert controllers.of_token("lmc_nobody", now=cast.NOW) is None
    assert controllers.remembered(controllers.hash_of("lmc_nobody"), now=cast.NOW) is None
    assert controllers.of_token(token, now=cast.NOW) == house.controllers["CSP-01"]
    until = cast.NOW + controllers.REMEMBERED_FOR
    assert controllers.remembered(token_hash, now=until - second) == house.controllers["CSP-01"]
    assert controllers.remembered(token_hash, now=until) is None
    assert controllers.remembered(token_hash, now=cast.NOW - second) is None
    controllers.forget(token_hash)
    assert controllers.remembered(token_hash, now=cast.NOW) is None
    controllers.of_token(token, now=cast.NOW)
    monkeypatch.setattr(controllers, "MOST_REMEMBERED", 1)
    controllers.of_token(house.tokens["CSP-02"], now=cast.NOW)
    assert controllers.remembered(token_hash, now=cast.NOW) is None
