"""Every error is a problem document: a sentence, a code, and nothing of our insides."""

from typing import Any

import pytest
from django.test import Client

from audit.api import problems
from tests.audit import cellar

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.audit.urls")]

CASES: list[tuple[str, int, str, bool]] = [
    ("gap", 409, "sequence-gap", False),
    ("paused", 429, "paused", True),
    ("too-large", 413, "too-many-events", False),
    ("fields", 422, "not-readable", False),
    ("who", 401, "who-are-you", False),
    ("not-now", 503, "not-now", True),
    ("not-allowed", 403, "not-allowed", False),
    ("missing", 404, "no-such-thing", False),
    ("invalid", 422, "invalid", False),
    ("throttled", 429, "too-fast", True),
    ("denied", 403, "not-allowed", False),
    ("failed", 401, "authentication-failed", False),
    ("http404", 404, "no-such-thing", False),
    ("django-denied", 403, "not-allowed", False),
    ("too-big", 413, "too-large", False),
    ("suspicious", 400, "bad-request", False),
    ("lock", 503, "try-again", True),
    ("interface", 503, "try-again", True),
    ("cut-short", 503, "try-again", True),
    ("unexpected", 500, "unexpected", False),
]


def assert_problem(response: Any, *, status: int, code: str, retryable: bool = False) -> dict[str, Any]:
    assert response.headers["Content-Type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert (response.status_code, body["status"], body["code"], body["retryable"]) == (status, status, code, retryable)
    assert body["type"] == f"/problems/{code}"
    assert body["title"]
    assert body["detail"][0].isupper()
    for leak in ("secret", "Traceback", "SELECT", "psycopg2"):
        assert leak not in response.content.decode()
    return body


@pytest.fixture
def visitor() -> Client:
    return Client(raise_request_exception=False)


@pytest.mark.parametrize(("trouble", "status", "code", "retryable"), CASES)
def test_each_trouble_has_its_document(visitor: Client, trouble: str, status: int, code: str, retryable: bool) -> None:
    response = visitor.get(f"/api/trouble/{trouble}/")
    assert_problem(response, status=status, code=code, retryable=retryable)
    assert ("Retry-After" in response.headers) == (status in {429, 503})
    assert ("WWW-Authenticate" in response.headers) == (status == 401)


@pytest.mark.parametrize(("trouble", "status", "code", "retryable"), [case for case in CASES if case[1] in {400, 403, 404, 500, 503}])
def test_outside_the_framework_too(visitor: Client, trouble: str, status: int, code: str, retryable: bool) -> None:
    """A plain view, or the middleware before any view, where Django's own handlers answer."""
    assert_problem(visitor.get(f"/api/plain/{trouble}/"), status=status, code=code, retryable=retryable)


def test_facts_stand_beside_the_sentence_and_hide_nothing(visitor: Client) -> None:
    body = assert_problem(visitor.get("/api/trouble/gap/"), status=409, code="sequence-gap")
    assert body["detail"] == "Sequence 7 came where 5 was expected."
    assert body["expected"] == 5
    shadow = problems.problem(status=409, code="x", detail="X.", type="other", title="other")
    assert b"/problems/x" in shadow.content


def test_the_wait_is_the_one_the_refusal_names(visitor: Client) -> None:
    assert visitor.get("/api/trouble/paused/").headers["Retry-After"] == "42"
    assert visitor.get("/api/trouble/throttled/").headers["Retry-After"] == "30"
    assert visitor.get("/api/trouble/lock/").headers["Retry-After"] == "1"


def test_field_errors_carry_their_path(visitor: Client) -> None:
    body = assert_problem(visitor.get("/api/trouble/invalid/"), status=422, code="invalid")
    assert [error["field"] for error in body["errors"]] == ["chips", "wagers[1].seat"]
    assert assert_problem(visitor.get("/api/trouble/fields/"), status=422, code="not-readable")["errors"] == [
        {"field": "pin", "detail": "It is missing."}
    ]


def test_an_unexpected_error_is_logged_in_full(visitor: Client, caplog: pytest.LogCaptureFixture) -> None:
    visitor.get("/api/trouble/unexpected/")
    assert any("unexpected error" in str(record.msg) and record.name == "linkmeter.problems" for record in caplog.records)


def test_unreadable_json_a_wrong_method_and_a_wrong_form(visitor: Client) -> None:
    assert_problem(visitor.post("/api/trouble/gap/", "{", "application/json"), status=422, code="unreadable")
    refused = visitor.delete("/api/trouble/gap/")
    assert_problem(refused, status=405, code="method-not-allowed")
    assert "GET" in refused.headers["Allow"]
    assert_problem(visitor.post("/api/trouble/gap/", "<x/>", "text/xml"), status=415, code="unsupported-media-type")
    assert_problem(visitor.get("/api/trouble/gap/", headers={"Accept": "image/png"}), status=406, code="not-acceptable")


def test_an_address_that_is_not_there_is_a_document_under_api_and_a_page_elsewhere(visitor: Client) -> None:
    assert_problem(visitor.get("/api/nothing/"), status=404, code="no-such-thing")
    elsewhere = visitor.get("/nothing/")
    assert (elsewhere.status_code, elsewhere.headers["Content-Type"].split(";")[0]) == (404, "text/html")


@pytest.mark.parametrize(("trouble", "status"), [("django-denied", 403), ("suspicious", 400), ("unexpected", 500)])
def test_pages_keep_their_pages(visitor: Client, trouble: str, status: int) -> None:
    response = visitor.get(f"/page/{trouble}/")
    assert response.status_code == status
    assert response.headers["Content-Type"].startswith("text/html")
    assert b"secret" not in response.content


def test_who_has_not_said_who_they_are_is_asked_and_not_forbidden(visitor: Client) -> None:
    response = visitor.post("/api/for-people/")
    assert_problem(response, status=401, code="not-authenticated")


def test_a_person_must_bring_the_pages_token() -> None:
    person = cellar.make_person("sam")
    careful = Client(enforce_csrf_checks=True)
    careful.force_login(person)
    assert_problem(careful.post("/api/for-people/"), status=403, code="csrf-failed")
    careful.cookies["csrftoken"] = token = "a" * 32
    accepted = careful.post("/api/for-people/", {}, "application/json", headers={"X-CSRFToken": token})
    assert (accepted.status_code, accepted.json()) == (200, {"you": "sam"})


def test_a_forged_request_outside_the_framework_is_refused_in_the_same_words(settings: Any) -> None:
    settings.CSRF_FAILURE_VIEW = "audit.api.problems.csrf_failure"
    careful = Client(enforce_csrf_checks=True)
    assert_problem(careful.post("/api/plain/gap/"), status=403, code="csrf-failed")
    page = careful.post("/page/gap/")
    assert (page.status_code, page.headers["Content-Type"].split(";")[0]) == (403, "text/html")


def test_who_has_left_is_unknown(visitor: Client) -> None:
    person = cellar.make_person("sam")
    visitor.force_login(person)
    type(person).objects.filter(pk=person.pk).update(is_active=False)
    assert_problem(visitor.post("/api/for-people/"), status=401, code="not-authenticated")
