"""As much of the REST contract as a controller meets, in memory, so that the simulator can be watched from the other end of its line."""

import collections
import http.server
import json
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PIN, PASSWORD, CSRF, SESSION = "2468", "floor-pass", "csrf-1", "session-1"
PAYS = {"royal-flush": "jackpot", "straight-flush": "jackpot"}


class ContractServer:
    """What controllers sent, answered as the contract says; faults are taken from the queue, one a posted event."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.controllers: dict[str, dict[str, Any]] = {}
        self.events: dict[str, tuple[str, dict[str, Any]]] = {}
        self.arrivals: list[dict[str, Any]] = []
        self.faults: collections.deque[str] = collections.deque()
        self.rounds: dict[tuple[str, int], dict[str, Any]] = {}
        self.hits: dict[str, dict[str, Any]] = {}
        self.looks: collections.Counter[tuple[str, str]] = collections.Counter()
        self.signed: list[tuple[str, str]] = []
        self.beats: list[dict[str, Any]] = []
        # What the service has booked by table, where it is to differ from what a controller tells.
        self.booked: dict[str, Any] | None = None
        self.asked = 0
        self.url = ""

    def add_table(self, *, table: str, progressive: str, next_round: int = 1) -> dict[str, Any]:
        """A controller with one table; returns its entry for the cast."""
        token = f"token-{table}"
        offer = {"progressive": progressive, "wager": "progressive", "amounts": ["1.00", "5.00"], "hands": list(HANDS)}
        described = {"table": table, "next_round": next_round, "open_round": None, "accepts_wagers": True, "game": "caribbean-stud"}
        self.controllers[token] = {
            "controller": f"CTL-{table}",
            "next_sequence": 1,
            "tables": [{**described, "seats": 7, "progressives": [offer]}],
        }
        return {"name": f"CTL-{table}", "table": table, "token": token, "game": "caribbean-stud", "seats": 7}

    def table(self, name: str) -> dict[str, Any]:
        return next(table for entry in self.controllers.values() for table in entry["tables"] if table["table"] == name)

    def applied(self, kind: str) -> list[dict[str, Any]]:
        """The events of one type that were taken, in the order they came."""
        with self.lock:
            taken = [json.loads(content) for content, answer in self.events.values() if answer["status"] == "applied"]
        return [event for event in taken if event["type"] == kind]

    def take(self, entry: dict[str, Any], event: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Ids before sequences, each exactly once."""
        content = json.dumps(event, sort_keys=True)
        if event["id"] in self.events:
            known, answer = self.events[event["id"]]
            return (200, {"status": "duplicate", "first": answer}) if known == content else (409, problem("id-reused"))
        if event["sequence"] > entry["next_sequence"]:
            return 409, {**problem("sequence-gap"), "expected": entry["next_sequence"]}
        if event["sequence"] < entry["next_sequence"]:
            return 409, problem("sequence-reused")
        entry["next_sequence"] += 1
        answer = {"id": event["id"], "sequence": event["sequence"], **self.judge(event)}
        self.events[event["id"]] = (content, answer)
        return 201, answer

    def take_all(self, entry: dict[str, Any], events: list[dict[str, Any]]) -> tuple[int, dict[str, Any]]:
        """In order, as a prefix."""
        results: list[dict[str, Any]] = []
        is_stopped = False
        for event in events:
            if is_stopped:
                results.append({"status": "not-processed"})
                continue
            status, answer = self.take(entry, event)
            is_stopped = status == 409
            results.append({**answer, "status": "stopped"} if is_stopped else answer)
        return 200, {"results": results, "next_sequence": entry["next_sequence"]}

    def judge(self, event: dict[str, Any]) -> dict[str, Any]:
        number, table = event["round"], self.table(event["table"])
        known = self.rounds.setdefault((event["table"], number), {"state": "open", "wagers": {}, "folds": set()})
        if not table["accepts_wagers"] and event["type"] == "wager":
            return refused("suspended")
        verdict: dict[str, Any] = getattr(self, f"take_{event['type']}")(known, event)
        is_over = known["state"] in {"settled", "void"}
        table.update(next_round=number + 1 if is_over else number, open_round=None if is_over else number)
        return verdict

    def take_wager(self, known: dict[str, Any], event: dict[str, Any]) -> dict[str, Any]:
        if known["state"] != "open":
            return refused("round-locked")
        known["wagers"][event["seat"]] = event["amount"]
        return applied({"accepted": True})

    def take_lockout(self, known: dict[str, Any], event: dict[str, Any]) -> dict[str, Any]:
        if known["state"] != "open" and known.get("count") != "differs":
            return refused("round-locked")
        known["wagers"] = {wager["seat"]: wager["amount"] for wager in event["wagers"]}
        chips = sum(not wager.get("coupon") for wager in event["wagers"])
        known.update(state="locked", count="agrees" if event["chips"] == chips else "differs")
        return applied({"count": known["count"]})

    def take_fold(self, known: dict[str, Any], event: dict[str, Any]) -> dict[str, Any]:
        known["folds"].add(event["seat"])
        return applied({})

    def take_hit(self, known: dict[str, Any], event: dict[str, Any]) -> dict[str, Any]:
        number = f"H-{len(self.hits) + 1:06}"
        is_standing = known["state"] == "locked" and event["seat"] in known["wagers"] and event["seat"] not in known["folds"]
        payout = {"seat": event["seat"], "kind": PAYS.get(event["hand"], "fixed"), "amount": "30.00", "paid_from": "table"}
        self.hits[number] = {
            "hit": number,
            "state": "pending" if is_standing else "refused",
            "table": event["table"],
            "round": event["round"],
            "hand": event["hand"],
            "award": "30.00",
            "payouts": [payout],
        }
        return applied(dict(self.hits[number]))

    def take_void(self, known: dict[str, Any], event: dict[str, Any]) -> dict[str, Any]:
        seats = event.get("seats")
        known["wagers"] = {seat: amount for seat, amount in known["wagers"].items() if seats and seat not in seats}
        known["state"] = known["state"] if seats else "void"
        return applied({"round": known["state"], "rejected": []})

    def take_settle(self, known: dict[str, Any], event: dict[str, Any]) -> dict[str, Any]:
        known["state"] = "settled"
        return applied({})


HANDS = ("royal-flush", "straight-flush", "four-of-a-kind", "full-house", "flush", "straight", "three-of-a-kind")


def applied(outcome: dict[str, Any]) -> dict[str, Any]:
    return {"status": "applied", "outcome": outcome}


def refused(code: str) -> dict[str, Any]:
    return {"status": "refused", "code": code, "detail": f"No: {code}."}


def problem(code: str) -> dict[str, Any]:
    return {"type": f"/problems/{code}", "title": code, "detail": f"No: {code}.", "code": code}


class Door(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # One packet an answer; otherwise each waits for the acknowledgement of its own headers.
    wbufsize = 65_536
    contract: ContractServer

    def do_GET(self) -> None:
        if self.path == "/login/":
            self.answer(200, f'<input type="hidden" name="csrfmiddlewaretoken" value="{CSRF}">', cookies=[f"csrftoken={CSRF}; Path=/"])
        elif self.entry() is None and self.cookie("sessionid") != SESSION:
            self.answer(401, problem("not-authenticated"))
        elif self.path == "/api/v1/controllers/me/":
            self.contract.asked += 1
            self.answer(200, self.entry())
        elif "?state=" in self.path:
            state = self.path.split("=")[1]
            self.answer(200, [hit for hit in self.contract.hits.values() if hit["state"] == state])
        else:
            hit = self.contract.hits[self.path.split("/")[4]]
            self.contract.looks[hit["hit"], hit["state"]] += 1
            self.answer(200, hit)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        with self.contract.lock:
            if self.path == "/login/":
                self.log_in(dict(urllib.parse.parse_qsl(body)))
            elif self.path.endswith("/approve/"):
                self.approve(self.path.split("/")[4], json.loads(body))
            elif self.path.endswith("/heartbeat/"):
                self.heartbeat(json.loads(body))
            else:
                self.event(json.loads(body))

    def heartbeat(self, told: dict[str, Any]) -> None:
        self.contract.beats.append(told)
        compared = {}
        if told.get("counts"):
            booked = told["counts"] if self.contract.booked is None else self.contract.booked
            compared = {"counts": {"agrees": booked == told["counts"], "tables": {"booked": booked}}}
        self.answer(200, {"clock": told["clock"], "skew_ms": 0, **compared})

    def event(self, event: Any) -> None:
        entry = self.entry()
        if entry is None:
            return self.answer(401, problem("not-authenticated"))
        self.contract.arrivals.extend(event if isinstance(event, list) else [event])
        fault = self.contract.faults.popleft() if self.contract.faults else ""
        if fault == "busy":
            return self.answer(503, {**problem("not-now"), "retryable": True})
        if fault == "cut-before":
            return self.cut()
        take = self.contract.take_all if isinstance(event, list) else self.contract.take
        status, answer = take(entry, event)
        if fault == "cut-after":
            return self.cut()
        return self.answer(status, answer)

    def log_in(self, form: dict[str, str]) -> None:
        is_right = form["password"] == PASSWORD and form["csrfmiddlewaretoken"] == self.cookie("csrftoken") == CSRF
        if is_right:
            self.answer(302, "", cookies=[f"sessionid={SESSION}; Path=/; HttpOnly"])
        else:
            self.answer(200, "Please try again.")

    def approve(self, hit: str, body: dict[str, str]) -> None:
        if self.cookie("sessionid") != SESSION or self.headers["X-CSRFToken"] != CSRF:
            return self.answer(403, problem("not-authenticated"))
        if body != {"pin": PIN, "award": self.contract.hits[hit]["award"]}:
            return self.answer(409, problem("amount-changed"))
        self.contract.signed.append((hit, body["award"]))
        self.contract.hits[hit]["state"] = "approved"
        return self.answer(200, self.contract.hits[hit])

    def entry(self) -> dict[str, Any] | None:
        return self.contract.controllers.get(self.headers.get("Authorization", "").removeprefix("Bearer "))

    def cookie(self, name: str) -> str | None:
        pairs = [pair.split("=", 1) for pair in self.headers.get("Cookie", "").split("; ") if "=" in pair]
        return dict(pairs).get(name)

    def cut(self) -> None:
        """The line breaks without an answer."""
        self.close_connection = True

    def answer(self, status: int, body: object, cookies: list[str] | None = None) -> None:
        text = body if isinstance(body, str) else json.dumps(body)
        self.send_response(status)
        for cookie in cookies or []:
            self.send_header("Set-Cookie", cookie)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the test says what matters."""


@contextmanager
def serving(contract: ContractServer) -> Iterator[ContractServer]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("BoundDoor", (Door,), {"contract": contract}))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    contract.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield contract
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
