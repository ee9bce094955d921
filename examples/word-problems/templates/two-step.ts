import type { Template } from './template.ts';

export const TWO_STEP: readonly Template[] = [
  {
    id: 'two-bought-ate',
    problem: '{A} had {x} {fruit}, bought {y} more and then ate {w}. How many {fruit} are left?',
    numbers: { x: [5, 40], y: [4, 30], w: [2, 8] },
    expression: 'x + y - w',
  },
  {
    id: 'two-bus',
    problem:
      'A bus left the depot with {x} riders. At one stop {y} got off and {w} got on. How many riders were on it then?',
    numbers: { rest: [4, 30], y: [2, 20], w: [2, 18], x: 'rest + y' },
    expression: 'x - y + w',
  },
  {
    id: 'two-packs-plus-loose',
    problem: '{A} has {x} packs of {y} {stationery} and {w} loose ones. How many {stationery} is that altogether?',
    numbers: { x: [2, 9], y: [5, 12], w: [2, 14] },
    expression: 'x * y + w',
  },
  {
    id: 'two-shared-rest',
    problem:
      'A tray of {x} {sweet} fell and {y} broke. The whole ones are divided among {w} children. How many does a child get?',
    numbers: { each: [2, 12], w: [3, 8], y: [2, 15], x: 'each * w + y' },
    expression: '(x - y) / w',
  },
  {
    id: 'two-change-from-items',
    problem:
      '{A} buys {x} notebooks at {y} dollars each and pays with {w} dollars. How many dollars does {A.he} get back?',
    numbers: { x: [2, 6], y: [2, 7], back: [1, 15], w: 'x * y + back' },
    expression: 'w - x * y',
  },
  {
    id: 'two-groups-total',
    problem: '{x} boys and {y} girls line up in {w} equal rows. How many children stand in a row?',
    numbers: { each: [4, 15], w: [3, 9], x: [5, 11], y: 'each * w - x' },
    expression: '(x + y) / w',
  },
  {
    id: 'two-rates-together',
    problem: 'Each of {x} tables has {y} chairs on one side and {w} on the other. How many chairs are there?',
    numbers: { x: [3, 15], y: [2, 7], w: [2, 6] },
    expression: 'x * (y + w)',
  },
  {
    id: 'two-left-to-earn',
    problem:
      '{A} wants a bicycle for {x} dollars. {A.He} has saved {y} dollars and got {w} dollars from {A.his} {relative}. How many dollars are still missing?',
    numbers: { rest: [10, 90], y: [20, 80], w: [5, 40], x: 'rest + y + w' },
    expression: 'x - y - w',
  },
  {
    id: 'two-weekly',
    problem:
      'For {x} weeks {A} saved {y} dollars a week, then spent {w} dollars at the {place}. How many dollars remain?',
    numbers: { x: [4, 12], y: [5, 15], w: [3, 18] },
    expression: 'x * y - w',
  },
  {
    id: 'two-comparison-sum',
    problem: '{A} picked {x} {fruit} and {B} picked {y} more than that. How many did the two pick together?',
    numbers: { x: [6, 40], y: [3, 20] },
    expression: 'x + x + y',
  },
  {
    id: 'two-fewer-sum',
    problem:
      'There are {x} {colour} cars in a lot and {y} fewer {colour2} ones. How many {colour} and {colour2} cars are in the lot?',
    numbers: { rest: [4, 35], y: [2, 20], x: 'rest + y' },
    expression: 'x + x - y',
  },
  {
    id: 'two-perimeter',
    problem: 'A rectangular garden measures {x} meters by {y} meters. How many meters of fence go round it?',
    numbers: { x: [5, 40], y: [4, 35] },
    expression: '2 * (x + y)',
  },
  {
    id: 'two-unused-tickets',
    problem:
      'At the fair {A} bought {x} tickets and had {y} left at the end. A ticket cost {w} dollars. How many dollars did the used tickets cost?',
    numbers: { used: [3, 14], y: [2, 9], w: [2, 6], x: 'used + y' },
    expression: '(x - y) * w',
  },
  {
    id: 'two-cages',
    problem: 'A shelter with {x} kittens gave away {y}. The others sleep in pens of {w}. How many pens are in use?',
    numbers: { pens: [3, 12], w: [2, 6], y: [3, 20], x: 'pens * w + y' },
    expression: '(x - y) / w',
  },
  {
    id: 'two-double-then-add',
    problem:
      '{A} drew {x} pictures in March, twice as many in April and {y} in May. How many pictures did {A.he} draw in April and May?',
    numbers: { x: [4, 28], y: [3, 25] },
    expression: '2 * x + y',
  },
  {
    id: 'two-half-then-take',
    problem:
      'Half of the {x} {animal} on a farm are sold, and {y} of the others are given to {B}. How many {animal} does the farm keep?',
    numbers: { half: [14, 50], y: [2, 12], x: 'half * 2' },
    expression: 'x / 2 - y',
  },
  {
    id: 'two-shirts-and-hat',
    problem: '{x} shirts at {y} dollars and one hat at {w} dollars: what is the bill in dollars?',
    numbers: { x: [2, 8], y: [6, 25], w: [5, 20] },
    expression: 'x * y + w',
  },
  {
    id: 'two-hours-two-jobs',
    problem:
      '{A} babysits {x} hours on {day} and {y} hours on {day2} for {w} dollars an hour. What does {A.he} make in dollars?',
    numbers: { x: [2, 7], y: [2, 6], w: [6, 15] },
    expression: '(x + y) * w',
  },
  {
    id: 'two-days-per-page',
    problem:
      'A {x}-page diary has {y} blank pages at its end. {A} fills {w} pages a week. After how many weeks are the others full?',
    numbers: { weeks: [4, 20], w: [3, 9], y: [4, 20], x: 'weeks * w + y' },
    expression: '(x - y) / w',
  },
  {
    id: 'two-average',
    problem: '{A} scored {x} points in one match and {y} in the next. What was {A.his} average for the two matches?',
    numbers: { mean: [12, 40], gap: [1, 9], x: 'mean - gap', y: 'mean + gap' },
    expression: '(x + y) / 2',
  },
  {
    id: 'two-water-leak',
    problem: 'A barrel with {x} liters leaks {y} liters an hour. How many liters are in it after {w} hours?',
    numbers: { rest: [5, 60], y: [1.5, 4, 0.5], w: [2, 10, 2], x: 'rest + y * w' },
    expression: 'x - y * w',
  },
  {
    id: 'two-candle',
    problem:
      'A candle {x} centimeters tall burns down {y} centimeters an hour. After how many hours are {w} centimeters left?',
    numbers: { hours: [2, 9], y: [2, 4], w: [2, 9], x: 'hours * y + w' },
    expression: '(x - w) / y',
  },
  {
    id: 'two-price-drop',
    problem:
      'Last year a phone cost {x} dollars; this year it costs {y} dollars less. What do {w} phones cost this year, in dollars?',
    numbers: { price: [60, 180, 5], y: [15, 80, 5], w: [2, 6], x: 'price + y' },
    expression: '(x - y) * w',
  },
  {
    id: 'two-split-bill',
    problem:
      'Dinner was {x.money} and the tip {y.money}. {w} friends split it evenly. How many dollars does one of them pay?',
    numbers: { each: [6, 22, 0.5], w: [2, 6, 2], y: [3, 9, 0.5], x: 'each * w - y' },
    expression: '(x + y) / w',
  },
  {
    id: 'two-boxes-missing',
    problem: '{x} boxes should hold {y} bulbs each, but {w} bulbs are missing. How many bulbs are there really?',
    numbers: { x: [4, 18], y: [6, 24], w: [2, 20] },
    expression: 'x * y - w',
  },
  {
    id: 'two-marathon',
    problem: 'A trail is {x} miles long. {A} hiked {y} miles a day for {w} days. How many miles lie ahead of {A.him}?',
    numbers: { rest: [4, 40], y: [5, 14], w: [2, 6], x: 'rest + y * w' },
    expression: 'x - y * w',
  },
  {
    id: 'two-choir-rows',
    problem:
      'A choir of {x} singers, joined by {y} guests from the {place}, sits in rows of {w}. How many rows are taken?',
    numbers: { rows: [4, 14], w: [5, 12], y: [4, 16], x: 'rows * w - y' },
    expression: '(x + y) / w',
  },
  {
    id: 'two-trees-rows-died',
    problem: '{x} saplings were planted in each of {y} rows. In winter {w} of them died. How many lived?',
    numbers: { x: [6, 20], y: [4, 15], w: [3, 20] },
    expression: 'x * y - w',
  },
  {
    id: 'two-irrelevant-bakery',
    problem:
      'A bakery that opened {z} years ago made {x} rolls at dawn and {y} at noon, and sold {w} by evening. How many rolls were unsold?',
    numbers: { z: [5, 60], x: [40, 120], y: [20, 80], w: [15, 55] },
    expression: 'x + y - w',
  },
  {
    id: 'two-irrelevant-painter',
    problem:
      'With {z} {tool} in the shed, {A} paints {x} fence panels a day. {A.He} painted {y} days before the rain and {w} days after it. How many panels did {A.he} paint?',
    numbers: { z: [3, 15], x: [4, 16], y: [2, 7], w: [2, 7] },
    expression: 'x * (y + w)',
  },
  {
    id: 'two-lunch-order',
    problem:
      'Each of {x} workers orders a pie for {y} dollars and a coffee for {w} dollars. What is the whole order, in dollars?',
    numbers: { x: [4, 16], y: [4, 9], w: [2, 5] },
    expression: 'x * (y + w)',
  },
  {
    id: 'two-coins-per-chest',
    problem:
      'Pirates found {x} chests with {y} coins in each and shared the coins among {w} pirates. How many coins fell to each?',
    numbers: { each: [10, 60, 2], w: [4, 10, 2], x: [2, 2], y: 'each * w / x' },
    expression: 'x * y / w',
  },
  {
    id: 'two-knitting',
    problem:
      '{A} knits {x} rows before supper and {y} rows after it, {w} evenings in a row. How many rows does {A.he} knit?',
    numbers: { x: [6, 25], y: [5, 20], w: [3, 7] },
    expression: '(x + y) * w',
  },
  {
    id: 'two-flour',
    problem:
      'From {x} kilograms of flour a baker used {y} kilograms for bread and {w} kilograms for cakes. How many kilograms of flour has the baker got now?',
    numbers: { rest: [1.5, 12, 0.5], y: [2, 9, 0.5], w: [0.5, 4, 0.5], x: 'rest + y + w' },
    expression: 'x - y - w',
  },
];
