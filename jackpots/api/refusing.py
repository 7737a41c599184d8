"""Who may knock at each door of the API, and with which refusals it may be answered; for the published document.

Doors are known by the operation's id. A door that is not listed says what its own declaration says, and a test asks for its line.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from audit import sealing
from audit.api import authentication as people
from audit.api import records
from audit.people import posts, signing
from audit.refusals import NoSuchThing, Refusal
from jackpots import (
    configurations,
    corrections,
    displays,
    endings,
    happenings,
    hits,
    intake,
    interventions,
    items,
    links,
    motions,
    overview,
    payouts,
    playing,
    progressives,
    proofline,
    rulebook,
    terms,
)
from jackpots.api import events
from jackpots.api.hits import PersonNeeded
from tables import controllers, inbox, messages, rates, rounds, watching

Kind = type[Refusal]
Caller = Literal["controller", "display", "person", "either", "anyone"]

SIGNING: tuple[Kind, ...] = (posts.RoleNeeded, signing.PinMissing, signing.PinWrong, signing.PinPaused)
MOTION: tuple[Kind, ...] = (*SIGNING, motions.SecondIsAnothers, motions.MotionDiffers)
DECIDING: tuple[Kind, ...] = (*SIGNING, hits.NoSuchHit, hits.HitNotPending, hits.OwnConfiguration)
IN_ROUND: tuple[Kind, ...] = (*SIGNING, interventions.NoSuchRound, payouts.ReasonNeeded)
ON_PROGRESSIVE: tuple[Kind, ...] = (progressives.NoSuchProgressive,)
LINKING: tuple[Kind, ...] = (*SIGNING, *ON_PROGRESSIVE, overview.NoSuchTable, overview.NoSuchProperty, links.PinNeeded)
CHOOSING: tuple[Kind, ...] = (configurations.ConfigurationBreaksRule, configurations.ConfigurationUnsound, rulebook.NoSuchRule)
EVIDENCE: tuple[Kind, ...] = (records.EvidenceNotYours,)
ON_CONTROLLER: tuple[Kind, ...] = (*SIGNING, overview.NoSuchProperty, controllers.NoSuchController, controllers.ControllerRevoked)
CLAIMING: tuple[Kind, ...] = (terms.WagerNotOffered, terms.Suspended, rounds.NoSuchSeat)

# An event's place in the sequence, and what cannot be read: problem documents for one event, and what stops an array.
OUT_OF_ORDER: tuple[Kind, ...] = (inbox.IdReused, inbox.SequenceReused, inbox.SequenceGap)
STOPPING: tuple[Kind, ...] = (
    *OUT_OF_ORDER,
    messages.Unreadable,
    controllers.TokenUnknown,
    intake.TryAgain,
    configurations.PayTableOffTheShelf,
)
# What the rules or the table refuse an event for: recorded, and answered with 201.
EVENT_REFUSED: tuple[Kind, ...] = (
    happenings.WrongField,
    inbox.UnknownTable,
    *(rounds.RoundInPlay, rounds.RoundPassed, rounds.RoundLocked, rounds.RoundNotLocked, rounds.RoundSettled, rounds.RoundVoid),
    *(
        rounds.NoSuchSeat,
        rounds.WagerAlreadyAccepted,
        rounds.WagerListedTwice,
        rounds.HandVoid,
        rounds.RoundTooFar,
        rounds.AlreadyFolded,
        rounds.CountDiffers,
    ),
    *(terms.WagerNotOffered, terms.Suspended, terms.AmountNotOffered, terms.CouponNotTaken, terms.HandNotWageredOn),
    *(playing.ClaimSigned, playing.UnknownIrregularity, playing.IrregularityVoidsOtherwise),
)


@dataclass(frozen=True)
class Door:
    """Who may knock, with which refusals of its own it may be answered, and whether it reads fields that may be wrong."""

    caller: Caller
    kinds: tuple[Kind, ...] = ()
    reads_fields: bool = False

    def all_kinds(self) -> Iterator[Kind]:
        """The refusals of its own, and those that go with the caller."""
        if self.caller in {"controller", "display", "either", "person"}:
            yield controllers.TokenUnknown
        if self.caller in {"controller", "either"}:
            yield rates.TooFast
        if self.caller == "person":
            yield PersonNeeded
        yield from self.kinds
        yield intake.TryAgain


def _asked(*kinds: Kind) -> Door:
    """Read by a person; the query may be wrong."""
    return Door("person", kinds, reads_fields=True)


def _signed(*kinds: Kind) -> Door:
    """Changed by a person, from a page or with its token."""
    return Door("person", (people.CsrfFailed, *kinds), reads_fields=True)


DOORS: dict[str, Door] = {
    "events_create": Door(
        "controller", (*OUT_OF_ORDER, messages.Unreadable, messages.TooManyEvents, events.TooLarge, configurations.PayTableOffTheShelf)
    ),
    "controllers_me_retrieve": Door("controller", (configurations.PayTableOffTheShelf,)),
    "controllers_me_heartbeat_create": Door(
        "controller",
        (
            watching.ClockAbsurd,
            watching.CountsBeginEarlier,
            watching.CountsBeginLater,
            watching.CountsOvertaken,
        ),
        reads_fields=True,
    ),
    "meters_list": Door("anyone"),
    "meters_retrieve": Door("anyone", ON_PROGRESSIVE),
    "rulebook_list": Door("either"),
    "rulebook_retrieve": Door("either", (rulebook.NoSuchRule,)),
    "hits_list": Door("either", reads_fields=True),
    "hits_retrieve": Door("either", (hits.NoSuchHit,)),
    "hits_approve_create": _signed(
        *DECIDING,
        *(hits.AmountChanged, hits.AwardUnreadable, hits.SecondSignatureIsAnothers, hits.ShiftSupervisorNeeded, hits.RoundNotComplete),
    ),
    "hits_hold_create": _signed(*DECIDING, payouts.ReasonNeeded),
    "hits_reject_create": _signed(*DECIDING, payouts.ReasonNeeded),
    "rounds_retrieve": Door("person", (interventions.NoSuchRound,)),
    "rounds_accept_count_create": _signed(*IN_ROUND, interventions.CountAgrees, interventions.RoundOver),
    "rounds_approve_fixed_create": _signed(
        *(*SIGNING, interventions.NoSuchRound, interventions.NothingFixed, hits.HitNotPending, hits.OwnConfiguration),
        *(hits.SecondSignatureIsAnothers, hits.ShiftSupervisorNeeded, hits.RoundNotComplete),
    ),
    "rounds_close_create": _signed(*IN_ROUND, interventions.RoundOver),
    "rounds_missed_hit_create": _signed(*IN_ROUND, *CLAIMING, interventions.RoundStillInPlay, interventions.RoundOver),
    "rounds_void_create": _signed(
        *(*IN_ROUND, interventions.RoundOver, rounds.NoSuchSeat),
        *(playing.UnknownIrregularity, playing.IrregularityVoidsOtherwise),
    ),
    "items_list": _asked(),
    "items_grant_create": _signed(*MOTION, items.NoSuchItem, items.ItemAnswered, items.NothingToGrant),
    "items_let_go_create": _signed(*MOTION, items.NoSuchItem, items.ItemAnswered),
    "payouts_list": _asked(),
    "payouts_paid_create": _signed(*SIGNING, payouts.NoSuchPayout, payouts.PayoutNotDue, payouts.PaidAtTheTable),
    "payouts_void_create": _signed(*SIGNING, payouts.NoSuchPayout, payouts.PayoutNotPaid, payouts.ReasonNeeded),
    "payouts_slip.pdf_retrieve": Door("person", (payouts.NoSuchPayout, payouts.NoSlip)),
    "progressives_list": Door("person"),
    "progressives_create": _signed(
        *(posts.RoleNeeded, overview.NoSuchProperty, rulebook.NoSuchRule, progressives.SlugTaken, progressives.WagerHasNoMeter)
    ),
    "progressives_one": Door("person", ON_PROGRESSIVE),
    "progressives_suspend_create": _signed(
        *(*SIGNING, *ON_PROGRESSIVE, progressives.ReasonNeeded, progressives.AlreadySuspended, progressives.ProgressiveClosed)
    ),
    "progressives_resume_create": _signed(
        *(*SIGNING, *ON_PROGRESSIVE, progressives.ReasonNeeded, progressives.NotSuspended, progressives.ProgressiveClosed)
    ),
    "progressives_link": _signed(*LINKING, links.GameDiffers, links.AlreadyLinked, links.WagerTaken, progressives.ProgressiveClosed),
    "progressives_unlink": _signed(*LINKING, links.NotLinked, progressives.ProgressiveClosed),
    "progressives_correct_create": _signed(
        *(*MOTION, *ON_PROGRESSIVE, progressives.ProgressiveClosed, corrections.NotOpen, corrections.ReasonMissing),
        *(corrections.NoSuchLevel, corrections.AmountUnreadable, corrections.MeterTooLow),
    ),
    "progressives_release_overflow_create": _signed(
        *(*MOTION, *ON_PROGRESSIVE, progressives.ProgressiveClosed, corrections.NotOpen),
        *(corrections.NoSuchLevel, corrections.AmountUnreadable, corrections.NothingAboveTheCap),
    ),
    "progressives_discontinue_create": _signed(
        *(*MOTION, *ON_PROGRESSIVE, progressives.ProgressiveClosed, endings.SameProgressive, endings.NeverOpened),
        *(endings.StillPlayed, endings.ClaimWaiting, endings.NotAlike),
    ),
    "progressives_configurations": Door("person", ON_PROGRESSIVE),
    "progressives_figures_retrieve": Door("person", ON_PROGRESSIVE),
    "progressives_proof_line_retrieve": _asked(
        *ON_PROGRESSIVE, proofline.NotYetOpen, proofline.NotOnThisMeter, proofline.NoSuchMeter, proofline.NoSuchLine
    ),
    "configurations_list": _asked(),
    "configurations_draft": _signed(
        *ON_PROGRESSIVE,
        *CHOOSING,
        posts.RoleNeeded,
        overview.NoSuchProperty,
        progressives.ProgressiveClosed,
        configurations.FunderNotOfTheLink,
    ),
    "configurations_one": Door("person", (configurations.NoSuchConfiguration,)),
    "configurations_approve": _signed(
        *SIGNING,
        *CHOOSING,
        *(configurations.NoSuchConfiguration, configurations.OwnDraft, configurations.AlreadyApproved),
        *(configurations.DraftWithdrawn, configurations.PayTableChanged, progressives.ProgressiveClosed),
    ),
    "configurations_withdraw": _signed(
        *(posts.RoleNeeded, configurations.NoSuchConfiguration, configurations.AlreadyApproved, configurations.DraftWithdrawn),
        progressives.ReasonNeeded,
    ),
    "controllers_list": Door("person"),
    "controllers_pair": _signed(
        *(*SIGNING, overview.NoSuchProperty, overview.NoSuchTable),
        *(controllers.NameUnusable, controllers.NameTaken, controllers.TablesMissing, controllers.TableElsewhere),
    ),
    "controllers_one": Door("person", (controllers.NoSuchController, overview.NoSuchProperty)),
    "controllers_refused": _asked(controllers.NoSuchController, overview.NoSuchProperty),
    "controllers_move_create": _signed(*ON_CONTROLLER, overview.NoSuchTable, controllers.TablesMissing, controllers.TableElsewhere),
    "controllers_rotate_create": _signed(*ON_CONTROLLER, controllers.OverlapTooLong),
    "controllers_revoke_create": _signed(*ON_CONTROLLER),
    "controllers_rate_create": _signed(*ON_CONTROLLER, controllers.RateOutOfBounds),
    "controllers_pass_over_create": _signed(*ON_CONTROLLER, controllers.PassingNeedsReason, controllers.SequenceMovedOn),
    "displays_list": Door("person"),
    "displays_pair": _signed(*SIGNING, overview.NoSuchProperty, controllers.NameUnusable, displays.DisplayNameTaken),
    "displays_revoke_create": _signed(*SIGNING, displays.NoSuchDisplay),
    "displays_reading_create": Door("display", (*ON_PROGRESSIVE, displays.NotThisDisplay), reads_fields=True),
    "tables_list": Door("person"),
    "audit_records": Door("person", EVIDENCE, reads_fields=True),
    "audit_record": Door("person", (*EVIDENCE, NoSuchThing)),
    "audit_record_proof": Door("person", (*EVIDENCE, NoSuchThing, sealing.NotSealedYet)),
    "audit_checkpoints": Door("person", EVIDENCE, reads_fields=True),
}


def by_status(kinds: Iterable[Kind], statuses: dict[str, int]) -> dict[int, list[Kind]]:
    """Refusals under the status each is answered with, each once and in the order of their codes."""
    sorted_out: dict[int, list[Kind]] = {}
    for kind in sorted(set(kinds), key=lambda one: (one.code, one.__module__)):
        sorted_out.setdefault(statuses[kind.category], []).append(kind)
    return sorted_out
