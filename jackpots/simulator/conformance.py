"""The conformance kit: the contract, rule by rule, held against a server. Each rule's sentence is its docstring."""

import http.client
import json
import re
import urllib.parse
import uuid
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

from jackpots.simulator import dealing
from jackpots.simulator.kit import EVENTS, ME, Kit, Skipped, Wrong, expect, expect_problem

MONEY = re.compile(r"\d+\.\d{2}")
STATES = {"live", "award-pending", "pending-adjustment", "suspended", "closed"}
STREAM_SECONDS = 8.0
MESSAGES_BEFORE_THE_FIRST = 3
# More than a request may hold.
TOO_LARGE = 2_100_000


@dataclass(frozen=True)
class Finding:
    """How a server did by one rule."""

    rule: str
    sentence: str
    verdict: str
    why: str = ""
    sent: str = ""
    came: str = ""


def check(*, url: str, token: str) -> Iterator[Finding]:
    """Hold every rule against the server, one after another; a failed one does not keep the next from being tried."""
    kit = Kit(url=url, token=token)
    for rule in RULES:
        name, sentence = rule.__name__.replace("_", "-"), " ".join((rule.__doc__ or "").split())
        try:
            kit.begin()
            rule(kit)
        except Skipped as reason:
            yield Finding(name, sentence, "skipped", str(reason))
        except Wrong as fault:
            yield Finding(name, sentence, "failed", str(fault), kit.sent, kit.came)
        except (KeyError, TypeError, IndexError, AttributeError, ValueError) as fault:
            # The answer was not of the shape that the rule reads.
            yield Finding(name, sentence, "failed", f"the answer lacks something: {type(fault).__name__} {fault}", kit.sent, kit.came)
        else:
            yield Finding(name, sentence, "passed")


def as_markdown(findings: list[Finding], *, url: str) -> str:
    """The report for people."""
    counted = {verdict: sum(one.verdict == verdict for one in findings) for verdict in ("passed", "failed", "skipped")}
    lines = [f"# Conformance of {url}", "", ", ".join(f"{count} {verdict}" for verdict, count in counted.items()), ""]
    lines += ["| rule | verdict | the contract says |", "| --- | --- | --- |"]
    lines += [f"| {one.rule} | {one.verdict} | {one.sentence} |" for one in findings]
    for one in findings:
        if one.verdict == "failed":
            lines += ["", f"## {one.rule}", "", one.why, "", "```text", f"sent: {one.sent}", f"came: {one.came}", "```"]
        elif one.verdict == "skipped":
            lines += ["", f"## {one.rule}", "", f"Skipped: {one.why}."]
    return "\n".join(lines) + "\n"


def as_json(findings: list[Finding], *, url: str) -> str:
    """The report for machines."""
    return json.dumps({"url": url, "findings": [asdict(one) for one in findings]}, indent=2) + "\n"


def healthz(kit: Kit) -> None:
    """GET /healthz answers 200 while the process serves."""
    expect(kit.get("/healthz").status == 200, "/healthz answers 200")


def readyz(kit: Kit) -> None:
    """GET /readyz answers 200 while the database answers."""
    expect(kit.get("/readyz").status == 200, "/readyz answers 200")


def no_token(kit: Kit) -> None:
    """Whoever does not say who they are is answered 401."""
    expect_problem(kit.get(ME, Authorization=""), 401)


def unknown_token(kit: Kit) -> None:
    """An unknown token is answered 401."""
    expect_problem(kit.get(ME, Authorization="Bearer lmc_nobody"), 401)


def no_such_hit(kit: Kit) -> None:
    """What is not there is answered 404."""
    expect_problem(kit.get("/api/v1/hits/H-999999999/"), 404)


def me(kit: Kit) -> None:
    """controllers/me/ tells the tables, the next sequence, and whether each table may take wagers now."""
    expect(isinstance(kit.me["next_sequence"], int), "next_sequence is a whole number")
    expect(all(isinstance(table["accepts_wagers"], bool) for table in kit.me["tables"]), "accepts_wagers is true or false")


def heartbeat(kit: Kit) -> None:
    """A heartbeat is answered with how far the controller's clock is ahead."""
    clock = kit.event("settle", 1)["at"]
    reply = kit.post({"clock": clock, "version": "conformance"}, ME + "heartbeat/")
    expect(reply.status == 200, f"a heartbeat is answered 200, not {reply.status}")
    expect(isinstance(reply.json["skew_ms"], int), "skew_ms is a whole number")


def heartbeat_counts(kit: Kit) -> None:
    """A heartbeat may carry cumulative counts by table; they are answered beside what was booked, over the same sequences."""
    since = kit.sequence - 1
    number = kit.locked_round()
    clock = kit.event("settle", number)["at"]
    kit.sequence -= 1
    total = 2 * int(kit.offer["amounts"][0].replace(".", ""))
    for wagers, is_so in ((2, True), (3, False), (2, True)):
        counted = {kit.table["table"]: {"wagers": wagers, "amount": f"{total // 100}.{total % 100:02}"}}
        told = {"clock": clock, "since_sequence": since, "sequence": kit.sequence - 1, "counts": counted}
        reply = kit.post(told, ME + "heartbeat/")
        expect(reply.status == 200, f"counts are answered 200, not {reply.status}")
        expect(reply.json["counts"]["agrees"] is is_so, f"{wagers} wagers counted where 2 were booked: agrees is {is_so}")
    kit.applied("settle", number)


def next_event(kit: Kit) -> None:
    """The next sequence is recorded: 201, applied, with the outcome."""
    number = kit.new_round()
    sent = kit.event("wager", number, **kit.line())
    answer = kit.post(sent)
    expect(answer.status == 201, f"the status is 201, not {answer.status}")
    expect(
        (answer.json["id"], answer.json["sequence"], answer.json["status"]) == (sent["id"], sent["sequence"], "applied"), "applied, by name"
    )
    expect(answer.json["outcome"]["amount"] == sent["amount"], "money is a decimal string")


def duplicate(kit: Kit) -> None:
    """The same id with the same content is answered 200, duplicate, and the whole first answer, byte for byte."""
    sent = kit.event("wager", kit.new_round(), **kit.line())
    first = kit.post(sent)
    again = kit.post(dict(reversed(sent.items())))
    expect(again.status == 200 and again.json["status"] == "duplicate", "200 and duplicate, whatever the order of its members")
    expect(first.text in again.text, "first is the first answer, byte for byte")


def duplicate_of_refused(kit: Kit) -> None:
    """A refused event sent again is answered with its refusal, byte for byte."""
    sent = kit.event("wager", kit.new_round(), **{**kit.line(), "amount": "0.03"})
    first = kit.post(sent)
    again = kit.post(sent)
    expect(again.status == 200 and first.text in again.text and first.json["status"] == "refused", "the first refusal comes back")


def id_reused(kit: Kit) -> None:
    """The same id with other content is answered 409, id-reused; the id is judged before the sequence."""
    sent = kit.event("wager", kit.new_round(), **kit.line())
    kit.post(sent)
    expect_problem(kit.post({**sent, "seat": 2}), 409, "id-reused")
    expect_problem(kit.post({**sent, "sequence": sent["sequence"] + 50}), 409, "id-reused")


def sequence_reused(kit: Kit) -> None:
    """An old sequence under a new id is answered 409, sequence-reused."""
    sent = kit.event("wager", kit.new_round(), **kit.line())
    kit.post(sent)
    expect_problem(kit.post({**sent, "id": str(uuid.uuid4())}), 409, "sequence-reused")


def sequence_gap(kit: Kit) -> None:
    """A sequence beyond the next is answered 409, sequence-gap, with the one expected; nothing is recorded."""
    expected = kit.sequence
    kit.sequence += 3
    body = expect_problem(kit.post(kit.event("wager", kit.table["next_round"], **kit.line())), 409, "sequence-gap")
    expect(body["expected"] == expected, "expected is the next sequence")
    _expect_unused(kit, expected)


def unreadable(kit: Kit) -> None:
    """Unreadable JSON, or no usable id or sequence, is answered 422; the sequence is not used up."""
    expected = kit.sequence
    good = kit.event("wager", kit.table["next_round"], **kit.line())
    for body in (
        b"{",
        b"",
        b"7",
        b"[]",
        *(json.dumps({**good, **bad}).encode() for bad in ({"id": "x"}, {"sequence": "1"}, {"sequence": 0})),
    ):
        expect_problem(kit.call("POST", EVENTS, body), 422)
    _expect_unused(kit, expected)


def too_large(kit: Kit) -> None:
    """A request that is too large is answered 413."""
    expect_problem(kit.call("POST", EVENTS, b" " * TOO_LARGE), 413)


def unknown_field(kit: Kit) -> None:
    """Unknown fields are refused, not ignored, and money is a string, never a number."""
    number = kit.new_round()
    kit.refused("", "wager", number, **kit.line(), colour="red")
    kit.refused("", "wager", number, **{**kit.line(), "amount": 1.0})


def unknown_table(kit: Kit) -> None:
    """A table that is not this controller's is refused, and the sequence is used up."""
    answer = kit.post({**kit.event("wager", 1, **kit.line()), "table": "NO-SUCH-TABLE"})
    expect(answer.status == 201 and answer.json["status"] == "refused", "recorded as refused")
    used = kit.sequence
    kit.begin()
    expect(kit.sequence == used, "the sequence is used up")


def wager_not_offered(kit: Kit) -> None:
    """A wager is refused for a seat the table does not have and for an amount the pay table does not offer."""
    number = kit.new_round()
    kit.refused("", "wager", number, **kit.line(seat=kit.table["seats"] + 1))
    kit.refused("", "wager", number, **{**kit.line(), "amount": "0.03"})


def array_goes_on(kit: Kit) -> None:
    """A refused event does not stop an array; each result has its own status, and next_sequence follows."""
    number = kit.new_round()
    sent = [kit.event("wager", number, **kit.line()), kit.event("wager", number, **{**kit.line(), "amount": "0.03"})]
    sent += [kit.event("lockout", number, chips=1), kit.event("settle", number)]
    reply = kit.post(sent)
    expect(reply.status == 200, f"an array is answered 200, not {reply.status}")
    expect([one["status"] for one in reply.json["results"]] == ["applied", "refused", "applied", "applied"], "in order, each its own")
    expect(reply.json["next_sequence"] == kit.sequence, "next_sequence follows the last")
    again = kit.post(sent).json["results"]
    expect([one["first"] for one in again] == reply.json["results"], "sent again, every first answer comes back")
    alone = kit.event("settle", number)
    first = kit.post(alone)
    expect(first.text in kit.post([alone]).text, "byte for byte, in an array too")


def array_stops(kit: Kit) -> None:
    """A gap, a reuse or an unreadable event stops an array: stopped, then not-processed; what came before it stands."""
    for spoil, code in (({"sequence": 10**9}, "sequence-gap"), ({"sequence": 1}, "sequence-reused"), ({"id": "x"}, "")):
        kit.begin()
        number = kit.new_round()
        sent = [kit.event("wager", number, **kit.line(seat=seat)) for seat in (1, 2, 3)]
        reply = kit.post([sent[0], {**sent[1], **spoil}, sent[2]]).json
        expect([one["status"] for one in reply["results"]] == ["applied", "stopped", "not-processed"], f"stopped by {spoil}")
        stop = reply["results"][1]
        expect(bool(stop["detail"]) and (not code or stop["code"] == code), f"the code is {code or 'there'}")
        expect(stop["retryable"] is False, "sending it again will not help")
        expect(code != "sequence-gap" or stop["expected"] == sent[1]["sequence"], "a gap names the sequence expected")
        expect(reply["next_sequence"] == sent[1]["sequence"], "next_sequence is that of the event that stopped it")


def array_too_long(kit: Kit) -> None:
    """An array holds 1 to 1,000 events."""
    expect_problem(kit.post([{}] * 1001), 422)


def meters(kit: Kit) -> None:
    """A meter shows its amount to the cent, its state and a version; an unchanged one is answered 304 by its ETag."""
    shown = kit.meter()
    expect(bool(MONEY.fullmatch(shown["amount"])) and shown["state"] in STATES, "an amount of money, and a state of the contract")
    listed = kit.get("/api/v1/meters/", Authorization="")
    tag = listed.headers.get("etag", "")
    expect(bool(tag), "the list has an ETag")
    again = kit.get("/api/v1/meters/", Authorization="", If_None_Match=tag)
    # On a floor that plays, a meter may have moved in between.
    expect(again.status == 304 or again.headers.get("etag") != tag, "the same ETag is answered 304")


def stream(kit: Kit) -> None:
    """The stream gives the present state first, with the version as its id, and is never silent for more than 5 seconds."""
    address = urllib.parse.urlsplit(kit.url)
    kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    connection = kind(address.hostname or "", address.port, timeout=STREAM_SECONDS)
    kit.sent, path = "GET /api/v1/meters/stream/", f"/api/v1/meters/stream/?progressive={kit.offer['progressive']}"
    try:
        connection.request("GET", path, headers={"Accept": "text/event-stream"})
        answer = connection.getresponse()
        expect(answer.status == 200, f"the stream is answered 200, not {answer.status}")
        expect(answer.headers.get("Content-Type", "").startswith("text/event-stream"), "it is text/event-stream")
        present = _event(answer)
        expect("id:" in present, "the present state comes first, with its id")
        expect(bool(_message(answer)), "an event or a comment line follows")
    except OSError as fault:
        raise Wrong(f"within {STREAM_SECONDS:.0f} s the stream said no more: {fault}") from fault
    finally:
        connection.close()


RULES: tuple[Callable[[Kit], None], ...] = (
    *(healthz, readyz, no_token, unknown_token, no_such_hit, me, heartbeat, heartbeat_counts),
    *(next_event, duplicate, duplicate_of_refused, id_reused, sequence_reused, sequence_gap, unreadable, too_large),
    *(unknown_field, unknown_table, wager_not_offered),
    *dealing.RULES,
    *(array_goes_on, array_stops, array_too_long, meters, stream),
)


def _event(answer: http.client.HTTPResponse) -> str:
    """The first message that carries something; how long to wait before coming again, and comments, may stand before it."""
    for _ in range(MESSAGES_BEFORE_THE_FIRST):
        if "data:" in (message := _message(answer)):
            return message
    raise Wrong("expected: the present state comes first")


def _message(answer: http.client.HTTPResponse) -> str:
    """What comes up to the next empty line; the connection's time limit ends the waiting."""
    lines: list[str] = []
    while (line := answer.readline().decode()).strip() or not lines:
        expect(bool(line), "the stream goes on")
        lines.append(line)
    return "".join(lines)


def _expect_unused(kit: Kit, expected: int) -> None:
    kit.begin()
    expect(kit.sequence == expected, "the sequence is not used up")
