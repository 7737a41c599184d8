// All meters at a glance, each on a small odometer.

import { Odometer } from "./odometer.js";
import { Stream, cents, handName, money } from "./stream.js";

const STANDINGS = {
  live: ["is-live", "Live"],
  "award-pending": ["is-pending", "Award pending"],
  "pending-adjustment": ["is-pending", "Adjustment pending"],
  suspended: ["is-off", "Suspended"],
  closed: ["is-off", "Closed"],
};
const tiles = new Map();
for (const tile of document.querySelectorAll("[data-meter]")) {
  tiles.set(tile.dataset.meter, { tile, odometer: new Odometer(part(tile, "odometer")), meter: null });
}

if (tiles.size) new Stream([...tiles.keys()], { onMeter: tell, onStale: goStale, onCurrent: goCurrent });

function tell(meter) {
  const known = tiles.get(meter.progressive);
  if (!known) return;
  const { tile, odometer } = known;
  const amount = cents(meter.amount);
  if (known.meter === null) odometer.set(amount);
  else if (amount > odometer.goal) odometer.roll(amount);
  else if (amount < odometer.goal) odometer.replace(amount);
  known.meter = meter;
  part(tile, "amount").textContent = money(meter.amount);
  const pending = meter.pending.slice(0, 4).map((hit) => {
    const text = `${handName(hit.hand)}, ${hit.table}${hit.seat ? ` seat ${hit.seat}` : ""}: ${money(hit.amount)} pending`;
    return Object.assign(document.createElement("li"), { textContent: text });
  });
  part(tile, "pending").replaceChildren(...pending);
  stand(known);
}

function stand({ tile, meter }) {
  const [lamp, word] = STANDINGS[meter.state] ?? ["", meter.state];
  part(tile, "lamp").className = `meter__state lamp ${lamp}`;
  part(tile, "lamp").textContent = word;
}

function goStale() {
  document.querySelector("[data-meters]").classList.add("is-stale");
  for (const { tile } of tiles.values()) {
    part(tile, "lamp").className = "meter__state lamp is-off";
    part(tile, "lamp").textContent = "Not current";
  }
}

function goCurrent() {
  document.querySelector("[data-meters]").classList.remove("is-stale");
  for (const known of tiles.values()) if (known.meter) stand(known);
}

function part(tile, name) {
  return tile.querySelector(`[data-part="${name}"]`);
}
