// One progressive's sign: the meter, what each hand pays, what has just been hit, and an honest face when nothing is known.

import { Odometer } from "./odometer.js";
import { Stream, cents, dollars, handName, money, price } from "./stream.js";

const PLATE_MS = 20000;
const NEWS_MS = 45000;
const REASON_MS = 700; // money may be seen a moment before its reason; a fall waits this long for it

const sign = document.querySelector("[data-sign]");
const part = (name) => sign.querySelector(`[data-part="${name}"]`);
const odometer = new Odometer(part("odometer"));
const clock = new Intl.DateTimeFormat([], { timeStyle: "medium" });

let meter = null;
let heardAt = null;
let newsUntil = 0;
let plateUntil = 0;
let falling = 0;

new Stream([sign.dataset.sign], { onMeter: tell, onStale: goStale, onCurrent: goCurrent });
setInterval(tidy, 500);

function tell(told) {
  const before = meter;
  meter = told;
  heardAt = new Date();
  showAmount(before);
  if (before) showHappening(before);
  showPays();
  showStanding();
}

function showAmount(before) {
  const amount = cents(meter.amount);
  if (before === null) show("set");
  else if (amount < odometer.goal) {
    clearTimeout(falling);
    falling = setTimeout(fall, same(meter.last, before.last) ? REASON_MS : 0);
  } else if (amount > odometer.goal && !falling) show("roll");
}

function show(how) {
  part("amount").textContent = money(meter.amount);
  odometer[how](cents(meter.amount));
}

function fall() {
  falling = 0;
  if (cents(meter.amount) >= odometer.goal) return show("roll");
  news(reasonFor(odometer.goal));
  show("replace");
}

// A meter that goes down says why, in the same moment.
function reasonFor(before) {
  const last = meter.last;
  const from = `was ${dollars(before)}`;
  if (last?.kind === "claimed") return [`${handName(last.hand)} at ${last.table}: `, strong(`${money(last.amount)} set aside`), `, meter ${from}`];
  if (last?.kind === "rejected") return [`The claim ${last.hit} was not upheld; its reset was taken back, meter ${from}`];
  return ["The meter was adjusted", `, it ${from}`];
}

function showHappening(before) {
  const last = meter.last;
  if (!last || same(last, before.last)) return;
  showPlate(last);
  const top = meter.pays[0];
  if (last.kind === "claimed" && top && top.hand === last.hand) gild();
}

const same = (one, other) => one?.hit === other?.hit && one?.kind === other?.kind && one?.at === other?.at;

const STATES = { claimed: "Award pending · being validated", approved: "Approved · to be paid", paid: "Paid · congratulations", rejected: "Claim not upheld" };

function showPlate(last) {
  const plate = part("plate");
  part("plate-hand").textContent = handName(last.hand);
  part("plate-where").textContent = last.seat ? `Table ${last.table} · Seat ${last.seat}` : `Table ${last.table} · Dealer's hand`;
  part("plate-state").textContent = STATES[last.kind] ?? last.kind;
  part("plate-amount").textContent = money(last.amount);
  plate.className = `plate is-${last.kind}`;
  plate.hidden = false;
  void plate.offsetWidth; // so that the arrival plays again for the next one
  plate.classList.add("is-arriving");
  plateUntil = performance.now() + PLATE_MS;
}

function showPays() {
  const list = part("pays");
  const rows = meter.pays.map((pay, place) => {
    const row = document.createElement("li");
    row.className = place === 0 ? "pays__row is-top" : "pays__row";
    row.append(line("pays__hand", handName(pay.hand)), line("pays__amount", pay.amount === null ? "" : price(pay.amount)), line("pays__award", pay.award));
    return row;
  });
  list.style.setProperty("--columns", String(rows.length));
  list.replaceChildren(...rows);
}

const STANDINGS = {
  live: ["is-live", "Live"],
  "award-pending": ["is-pending", "Live · award pending"],
  "pending-adjustment": ["is-pending", "Adjustment pending"],
  suspended: ["is-off", "Suspended · no wagers taken"],
  closed: ["is-off", "Closed"],
};

function showStanding() {
  const [lamp, word] = STANDINGS[meter.state] ?? ["", meter.state];
  part("lamp").className = `sign__state lamp ${lamp}`;
  part("lamp").textContent = word;
  sign.classList.toggle("is-pending", meter.pending.length > 0);
  const ribbon = meter.pending.slice(0, 3).map((hit) => line("", `Award pending · ${handName(hit.hand)} · ${hit.table}${hit.seat ? ` seat ${hit.seat}` : ""} · ${money(hit.amount)}`, "li"));
  if (meter.pending.length > 3) ribbon.push(line("", `and ${meter.pending.length - 3} more`, "li"));
  part("ribbon").replaceChildren(...ribbon);
  tidy();
}

function news(parts) {
  part("why").replaceChildren(...parts);
  part("why").classList.add("is-news");
  newsUntil = performance.now() + NEWS_MS;
}

function tidy() {
  const now = performance.now();
  if (now > plateUntil) part("plate").hidden = true;
  part("ribbon").hidden = !part("plate").hidden && (meter?.pending.length ?? 0) <= 1;
  if (now > newsUntil && meter) {
    part("why").classList.remove("is-news");
    part("why").textContent = QUIET[meter.state] ?? QUIET.live;
  }
}

const QUIET = {
  live: "Grows with every progressive wager",
  "award-pending": "Play goes on · an award is being validated",
  "pending-adjustment": "An adjustment is being signed",
  suspended: "Progressive wagers are not taken now",
  closed: "This progressive is closed",
};

function goStale(reason) {
  sign.classList.add("is-stale");
  part("stale").hidden = false;
  part("stale-since").textContent = heardAt ? `Last known at ${clock.format(heardAt)}. ${reason}` : reason;
  part("lamp").className = "sign__state lamp is-off";
  part("lamp").textContent = "Not current";
}

function goCurrent() {
  sign.classList.remove("is-stale");
  part("stale").hidden = true;
  if (meter) showStanding();
}

function gild() {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (let count = 0; count < 90; count += 1) {
    const leaf = document.createElement("i");
    leaf.className = "leaf";
    const chances = { x: Math.random() * 100, t: 4 + Math.random() * 4, d: Math.random() * 3, w: Math.random() * 16 - 8, r: 2 + Math.random() * 5 };
    for (const [name, value] of Object.entries(chances)) leaf.style.setProperty(`--${name}`, value.toFixed(2));
    leaf.addEventListener("animationend", () => leaf.remove());
    sign.append(leaf);
  }
}

function line(name, text, tag = "span") {
  return Object.assign(document.createElement(tag), { className: name, textContent: text });
}

function strong(text) {
  return line("", text, "strong");
}
