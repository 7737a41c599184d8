"""What each door is for, in a sentence or two, where its declaration gives only a headline; for the published document."""

from typing import Any

TWO_SIGNATURES = "The first call writes a motion, the second, by another person and under the same, carries it out."
WITH_PIN = "Signed by the person's PIN; wrong ones are slowed."

DESCRIPTIONS = {
    "controllers_me_retrieve": "Ask this after every start: it says where to go on, and which amounts and hands are offered.",
    "controllers_me_heartbeat_create": "Send it every few seconds. Times of events are corrected by the skew it finds.",
    "controllers_pair": f"{WITH_PIN} The token is in this answer and nowhere else. A revoked controller is taken back under its name.",
    "controllers_one": "When it was heard last, its clock, its tables, its gaps, its counts and its alarms.",
    "controllers_refused": "Newest first, each with the code and the sentence it was answered.",
    "controllers_move_create": f"{WITH_PIN} It speaks for these tables and for no others from now on.",
    "controllers_rotate_create": f"{WITH_PIN} The tokens before it go on working for the overlap.",
    "controllers_revoke_create": f"{WITH_PIN} Its tokens stop at once.",
    "controllers_rate_create": f"{WITH_PIN} Without a rate of its own the site's holds.",
    "controllers_pass_over_create": f"{WITH_PIN} For a sequence that the controller can no longer send; the reason is on record.",
    "displays_list": "One that shows what is not true leaves a notice, and a record when that began and when it was over.",
    "displays_pair": f"{WITH_PIN} The token is in this answer and nowhere else.",
    "displays_revoke_create": f"{WITH_PIN} What it reports is no longer taken.",
    "displays_reading_create": "Every ten seconds or so, for each meter on it. The display is known by its own token.",
    "meters_list": "What signs show. With the ETag of an earlier answer, an unchanged one is answered 304 and without a body.",
    "meters_retrieve": "As above, for one progressive.",
    "rulebook_retrieve": "Everything the rule text says of the game, with the paragraph of each line and the exact odds of each hand.",
    "hits_list": "A controller sees those of its tables, a person those of the person's properties.",
    "hits_retrieve": "The truth now; the answer to the claim says only what was true then.",
    "hits_approve_create": f"{WITH_PIN} The award is the one the person saw: if it has changed since, nothing is signed.",
    "hits_hold_create": f"{WITH_PIN} A held hit can still be approved or rejected.",
    "hits_reject_create": f"{WITH_PIN} The meters are as if it had never been claimed, and what came after it is settled again.",
    "rounds_retrieve": "Its state, whether its chips agree, and which seats have folded or are void.",
    "rounds_accept_count_create": f"{WITH_PIN} The contributions go to the meters now.",
    "rounds_approve_fixed_create": f"{WITH_PIN} Awards that are a share of a meter are signed one by one.",
    "rounds_close_create": f"{WITH_PIN} For a round whose table went silent; the next one can begin.",
    "rounds_missed_hit_create": f"{WITH_PIN} It is paid out of turn, on the meter as it stands.",
    "rounds_void_create": f"{WITH_PIN} A shift supervisor may do so even after a claim was signed.",
    "items_list": "What was told, what was due, and the difference.",
    "items_grant_create": TWO_SIGNATURES,
    "items_let_go_create": TWO_SIGNATURES,
    "payouts_list": "A cashier sees what is due at the cage.",
    "payouts_paid_create": f"{WITH_PIN} For payouts at the cage; those of the table are paid when the round is settled.",
    "payouts_void_create": f"{WITH_PIN} The payout is due again.",
    "payouts_slip.pdf_retrieve": "The paper as it was printed first; it never changes.",
    "progressives_list": "With the tables that play for each, past ones too.",
    "progressives_create": "Nothing can be wagered on it until a configuration has been approved.",
    "progressives_one": "With the tables that play for it, past ones too.",
    "progressives_suspend_create": f"{WITH_PIN} Rounds in play are finished under their terms.",
    "progressives_resume_create": f"{WITH_PIN} Rounds that begin from now on take wagers again.",
    "progressives_link": "Rounds that begin from then on play for it. Once it is open this is signed by a PIN.",
    "progressives_unlink": "Rounds that begin from then on no longer play for it. Once it is open this is signed by a PIN.",
    "progressives_correct_create": TWO_SIGNATURES,
    "progressives_release_overflow_create": TWO_SIGNATURES,
    "progressives_discontinue_create": f"{TWO_SIGNATURES} The players' money goes on to another progressive like it.",
    "progressives_configurations": "Approved, waiting, withdrawn: none is ever edited.",
    "progressives_figures_retrieve": "How much went in, hits, wins, overflow, reserve, and the last 25 hits.",
    "progressives_proof_line_retrieve": "Nothing is taken from a stored balance, so it can be held against one.",
    "configurations_list": "Of the progressives of your properties.",
    "configurations_draft": "What the rule text does not allow is refused, with its paragraph.",
    "configurations_one": "With who drafted, approved or withdrew it.",
    "configurations_approve": f"{WITH_PIN} Whoever drafted it cannot approve it.",
    "configurations_withdraw": "Only what has not been approved.",
    "controllers_list": "When each was last seen, its next sequence, and how its clock stands.",
    "tables_list": "What each deals, and which progressives it plays for now.",
    "rulebook_list": "Open to every person and every controller: the rules are the same for all.",
    "events_create": "Events of one controller are taken exactly once and in order.",
}
HEADLINES = {
    "audit_records": "Records, the newest first",
    "audit_record": "One record",
    "audit_record_proof": "A record's proof",
    "audit_checkpoints": "Signed checkpoints, the newest first",
}
ANSWERS = {"200": "As it is now.", "201": "Made."}


def describe(operation: dict[str, Any]) -> None:
    """Say what is still unsaid of a door."""
    name = operation["operationId"]
    told = {"summary": HEADLINES.get(name), "description": DESCRIPTIONS.get(name)}
    operation |= {key: text for key, text in told.items() if text and not operation.get(key)}
    for status, said in operation["responses"].items():
        said["description"] = said.get("description") or ANSWERS.get(status, "")
