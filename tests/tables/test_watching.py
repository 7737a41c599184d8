"""The watch over controllers: last heard, counts compared, gaps remembered, silence noticed once."""

import contextlib
import datetime
from typing import Any

import pytest
from django.db import IntegrityError

from audit import journal
from jackpots import interventions
from tables import controllers, counts, inbox, watching
from tables.counts import Tally
from tables.models import Alarm, Controller, Table, Watch
from tests import cast

pytestmark = pytest.mark.django_db

DOLLAR = 1_000_000
MINUTE = datetime.timedelta(minutes=1)


@pytest.fixture
def house(db: None) -> cast.House:
    return cast.house()


@pytest.fixture
def dealer(house: cast.House) -> cast.Dealer:
    return cast.Dealer(house, "CSP-01")


def tell(house: cast.House, wagers: int, dollars: int, *, sequence: int | None = None, since: int = 0) -> watching.Comparison:
    counted = {"CSP-01": Tally(wagers, dollars * DOLLAR)}
    controller = house.controllers["CSP-01"]
    return watching.compare_counts(controller=controller, counted=counted, sequence=sequence, since_sequence=since, now=cast.NOW)


def look(now: datetime.datetime) -> int:
    return watching.look(silence=MINUTE, now=now)


def kinds() -> list[str]:
    """What was written down of the watch, in order."""
    told = ("controller-silent", "controller-missed-no-more", "controller-counts-differ", "controller-counts-agree")
    return [record.kind for record in reversed(journal.records(limit=200)) if record.kind in told]


def seen_at(house: cast.House, moment: datetime.datetime | None) -> None:
    Controller.objects.filter(pk=house.controllers["CSP-01"].pk).update(last_seen_at=moment)


def test_counts_that_say_what_was_booked_agree(house: cast.House, dealer: cast.Dealer) -> None:
    dealer.lock_out({1: "1.00", 5: "1.00"})
    found = tell(house, 2, 2)
    assert (found.agrees, found.booked) == (True, {"CSP-01": Tally(2, 2 * DOLLAR)})
    assert not Alarm.objects.exists()


def test_what_was_booked_is_added_up_from_where_it_was_left(house: cast.House, dealer: cast.Dealer) -> None:
    for expected in (1, 2, 3):
        dealer.lock_out({1: "1.00"})
        dealer.settle()
        assert tell(house, expected, expected).agrees
    assert Watch.objects.get(pk=house.controllers["CSP-01"].pk).summed_to == 6


def test_counts_speak_of_the_sequence_they_name(house: cast.House, dealer: cast.Dealer) -> None:
    dealer.lock_out({1: "1.00"})
    dealer.settle()
    dealer.lock_out({1: "1.00", 2: "1.00"})
    assert tell(house, 1, 1, sequence=2).agrees
    assert tell(house, 3, 3, sequence=3).agrees


def test_wagers_before_lock_out_refused_and_withdrawn_ones_are_not_booked(house: cast.House, dealer: cast.Dealer) -> None:
    dealer.send("wager", seat=1, wager="progressive", amount="1.00")
    dealer.send("wager", seat=2, wager="progressive", amount="7.00")
    assert tell(house, 0, 0).agrees
    dealer.lock_out({3: "1.00"})
    assert tell(house, 1, 1).agrees


def test_a_hand_void_before_lock_out_is_not_booked_and_a_round_void_after_it_is(house: cast.House, dealer: cast.Dealer) -> None:
    dealer.send("wager", seat=4, wager="progressive", amount="1.00")
    voided = dealer.void("player-miscounted", seats=[4])
    dealer.lock_out({5: "1.00"})
    dealer.void("cards-face-up")
    assert (voided["status"], tell(house, 1, 1).agrees) == ("applied", True)


def test_a_count_that_differed_is_booked_once_it_agrees(house: cast.House, dealer: cast.Dealer) -> None:
    dealer.lock_out({1: "1.00"}, chips=2)
    assert tell(house, 0, 0).agrees
    dealer.lock_out({1: "1.00"}, chips=1)
    assert tell(house, 1, 1).agrees


def test_what_a_supervisor_let_stand_is_nothing_the_controller_counts(house: cast.House, dealer: cast.Dealer) -> None:
    dealer.lock_out({1: "1.00"}, chips=2)
    reference = house.tables["CSP-01"].rounds.get().reference
    interventions.accept_count(reference=reference, person=house.sam, pin=cast.PIN, reason="counted by hand", now=cast.NOW)
    assert tell(house, 0, 0).agrees


def test_a_table_that_is_not_named_was_counted_as_nothing(house: cast.House, dealer: cast.Dealer) -> None:
    dealer.lock_out({1: "1.00"})
    controller = house.controllers["CSP-01"]
    found = watching.compare_counts(controller=controller, counted={"CSP-02": Tally(0, 0)}, sequence=None, since_sequence=0, now=cast.NOW)
    assert [(table, found.agrees_at(table)) for table in found.tables] == [("CSP-01", False), ("CSP-02", True)]


def test_a_difference_is_told_once_and_ends_when_it_is_gone(house: cast.House, dealer: cast.Dealer) -> None:
    dealer.lock_out({1: "1.00"})
    assert not tell(house, 2, 2).agrees
    assert not tell(house, 2, 2).agrees
    assert journal.waiting() == {"controller-counts-differ": 1}
    dealer.settle()
    dealer.lock_out({1: "1.00"})
    assert tell(house, 2, 2).agrees
    assert journal.waiting() == {}
    assert kinds() == ["controller-counts-differ", "controller-counts-agree"]
    assert not tell(house, 3, 3).agrees
    assert Alarm.objects.filter(ended_at__isnull=True).count() == 1


def test_the_right_number_of_the_wrong_amount_differs(house: cast.House, dealer: cast.Dealer) -> None:
    dealer.lock_out({1: "1.00"})
    assert not tell(house, 1, 2).agrees


def test_a_controller_that_begins_anew_says_behind_which_sequence(house: cast.House, dealer: cast.Dealer) -> None:
    dealer.lock_out({1: "1.00", 2: "1.00"})
    dealer.settle()
    assert tell(house, 2, 2).agrees
    dealer.lock_out({1: "1.00"})
    assert tell(house, 1, 1, since=2).agrees
    with pytest.raises(watching.CountsBeginEarlier):
        tell(house, 3, 3, since=0)


def test_counts_cannot_begin_where_nothing_was_taken_yet(house: cast.House, dealer: cast.Dealer) -> None:
    dealer.lock_out({1: "1.00"})
    with pytest.raises(watching.CountsBeginLater):
        tell(house, 0, 0, since=2, sequence=2)
    assert tell(house, 0, 0, since=1).agrees


def test_counts_that_were_overtaken_are_refused(house: cast.House, dealer: cast.Dealer) -> None:
    dealer.lock_out({1: "1.00"})
    dealer.settle()
    assert tell(house, 1, 1, sequence=2).agrees
    with pytest.raises(watching.CountsOvertaken):
        tell(house, 1, 1, sequence=1)


def test_a_sequence_not_taken_yet_is_added_up_when_it_is(house: cast.House, dealer: cast.Dealer) -> None:
    dealer.lock_out({1: "1.00"})
    assert not tell(house, 2, 2, sequence=3).agrees
    dealer.settle()
    dealer.lock_out({1: "1.00"})
    assert tell(house, 2, 2, sequence=3).agrees


def test_many_events_are_read_in_pieces(house: cast.House, dealer: cast.Dealer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "AT_ONCE", 2)
    for _ in range(5):
        dealer.lock_out({1: "1.00"})
        dealer.settle()
    assert tell(house, 5, 5).agrees


def test_a_gap_is_remembered(house: cast.House) -> None:
    controller = house.controllers["CSP-01"]
    watching.note_gap(controller_id=controller.pk, expected=1, sent=4, now=cast.NOW)
    watching.note_gap(controller_id=controller.pk, expected=1, sent=7, now=cast.NOW + MINUTE)
    watch = Watch.objects.get(pk=controller.pk)
    assert (watch.gaps, watch.gap_expected, watch.gap_sent, watch.gap_at) == (2, 1, 7, cast.NOW + MINUTE)


def test_silence_is_told_once_however_often_it_is_looked_for(house: cast.House, dealer: cast.Dealer) -> None:
    dealer.lock_out({1: "1.00"})
    assert look(cast.NOW + MINUTE) == 0
    late = cast.NOW + 2 * MINUTE
    assert [look(late), look(late), look(late + MINUTE)] == [1, 0, 0]
    assert journal.waiting() == {"controller-silent": 1}
    alarm = Alarm.objects.get()
    assert (alarm.kind, alarm.since, alarm.raised_at, alarm.ended_at) == ("silent", cast.NOW, late, None)


def test_silence_ends_when_the_controller_is_heard_and_may_come_again(house: cast.House, dealer: cast.Dealer) -> None:
    dealer.lock_out({1: "1.00"})
    look(cast.NOW + 2 * MINUTE)
    dealer.now = cast.NOW + 3 * MINUTE
    dealer.settle()
    assert [look(dealer.now), look(dealer.now)] == [1, 0]
    assert journal.waiting() == {}
    assert look(dealer.now + 2 * MINUTE) == 1
    assert kinds() == ["controller-silent", "controller-missed-no-more", "controller-silent"]


def test_the_database_takes_one_alarm_of_a_kind_at_a_time(house: cast.House) -> None:
    alarm = {"controller": house.controllers["CSP-01"], "kind": Alarm.Kind.SILENT, "since": cast.NOW, "raised_at": cast.NOW}
    Alarm.objects.create(**alarm, ended_at=cast.NOW)
    Alarm.objects.create(**alarm)
    with pytest.raises(IntegrityError):
        Alarm.objects.create(**alarm)


def test_who_was_never_heard_is_not_missed(house: cast.House) -> None:
    assert look(cast.NOW + 100 * MINUTE) == 0


def test_a_revoked_controller_is_missed_no_more(house: cast.House, dealer: cast.Dealer) -> None:
    dealer.lock_out({1: "1.00"})
    look(cast.NOW + 2 * MINUTE)
    controllers.revoke(controller=dealer.controller, person=house.tess, now=cast.NOW)
    assert [look(cast.NOW + 3 * MINUTE), look(cast.NOW + 4 * MINUTE)] == [1, 0]
    assert not Alarm.objects.filter(ended_at__isnull=True).exists()


def test_a_controller_without_an_open_table_is_not_missed(house: cast.House, dealer: cast.Dealer) -> None:
    dealer.lock_out({1: "1.00"})
    Table.objects.filter(name="CSP-01").update(is_open=False)
    assert look(cast.NOW + 2 * MINUTE) == 0


@pytest.mark.parametrize(
    ("ago", "is_written"), [(datetime.timedelta(seconds=4), False), (datetime.timedelta(seconds=5), True), (None, True)]
)
def test_who_only_asks_is_written_down_every_few_seconds(house: cast.House, ago: Any, is_written: bool) -> None:
    before = cast.NOW - ago if ago else None
    seen_at(house, before)
    controller = Controller.objects.get(name="CTL-CSP-01")
    watching.note_heard(controller_id=controller.pk, now=cast.NOW)
    controller.refresh_from_db()
    assert controller.last_seen_at == (cast.NOW if is_written else before)


def test_hands_void_before_and_after_the_lock_out_are_told_apart(house: cast.House, dealer: cast.Dealer) -> None:
    for seat, amount in ((2, "5.00"), (1, "1.00")):
        dealer.send("wager", seat=seat, wager="progressive", amount=amount)
    dealer.void("player-miscounted", seats=[1])
    dealer.send("lockout", chips=1)
    dealer.void("player-miscounted", seats=[2])
    dealer.settle()
    # What stood at the lock-out was wagered, whatever was void before it or is void since.
    assert tell(house, 1, 5).agrees


def test_who_sends_only_what_is_not_its_next_is_still_heard(house: cast.House, dealer: cast.Dealer) -> None:
    first = dealer.event("lockout", wagers=[], chips=0)
    dealer.resend(first)
    for late, event in enumerate((first, {**dealer.event("settle"), "sequence": 50}), start=1):
        seen_at(house, cast.NOW - 10 * MINUTE)
        dealer.now = cast.NOW + late * MINUTE
        with contextlib.suppress(inbox.SequenceGap):
            dealer.resend(event)
        assert Controller.objects.get(pk=dealer.controller.pk).last_seen_at == dealer.now


def test_a_device_paired_anew_is_not_missed_before_it_was_heard(house: cast.House, dealer: cast.Dealer) -> None:
    dealer.lock_out({1: "1.00"})
    controllers.revoke(controller=dealer.controller, person=house.tess, now=cast.NOW)
    later = cast.NOW + 9 * 24 * 60 * MINUTE
    controllers.pair(property=house.place, name="CTL-CSP-01", tables=[house.tables["CSP-01"]], person=house.tess, now=later)
    assert look(later) == 0


def test_a_revoked_controllers_counts_are_nobodys_trouble(house: cast.House, dealer: cast.Dealer) -> None:
    dealer.lock_out({1: "1.00"})
    tell(house, 7, 7)
    controllers.revoke(controller=dealer.controller, person=house.tess, now=cast.NOW)
    assert look(cast.NOW) == 1
    assert not Alarm.objects.filter(ended_at=None).exists()
