import type { Template } from './template.ts';

export const ONE_STEP_DIVISION: readonly Template[] = [
  {
    id: 'divide-share-equally',
    problem: '{x} {sweet} are shared equally among {y} friends. How many does each friend get?',
    numbers: { each: [3, 24], y: [3, 12], x: 'each * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-pack',
    problem: 'A worker packs {y} {fruit} into every crate. How many crates do {x} {fruit} fill?',
    numbers: { count: [4, 36], y: [6, 24], x: 'count * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-hours',
    problem: 'A ferry covers {x} miles at {y} miles per hour. How many hours does the crossing take?',
    numbers: { hours: [2, 11], y: [8, 30], x: 'hours * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-teams',
    problem: 'The coach divides {x} children into teams of {y}. How many teams does that make?',
    numbers: { teams: [3, 24], y: [4, 12], x: 'teams * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-unit-price',
    problem: 'A bundle of {y} {clothes} costs {x.money}. What is the price of one, in dollars?',
    numbers: { price: [1.5, 14, 0.25], y: [2, 9], x: 'price * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-weeks-saving',
    problem: 'By saving {y} dollars a week, how many weeks does {A} need to save {x} dollars?',
    numbers: { weeks: [4, 40], y: [5, 25], x: 'weeks * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-ribbon-pieces',
    problem: 'How many pieces of {y} inches can be cut from {x} inches of ribbon?',
    numbers: { pieces: [4, 30], y: [3, 16], x: 'pieces * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-album',
    problem: 'An album shows {y} photos on a page. {A} wants to put {x} photos in it. How many pages will be full?',
    numbers: { pages: [5, 40], y: [4, 12], x: 'pages * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-liters-per-day',
    problem: 'A camel drank {x} liters in {y} days, the same amount every day. How many liters a day did it drink?',
    numbers: { each: [6, 45, 0.5], y: [2, 8, 2], x: 'each * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-rows-of-trees',
    problem: '{x} young trees are to stand in {y} equal rows. How many trees go into one row?',
    numbers: { each: [5, 30], y: [4, 18], x: 'each * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-speed',
    problem:
      '{A} cycled {x} kilometers in {y} hours without changing speed. How many kilometers did {A.he} cycle per hour?',
    numbers: { speed: [9, 31], y: [2, 7], x: 'speed * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-times-heavier',
    problem: 'A calf weighs {x} kilograms, a cat {y} kilograms. How many times as heavy as the cat is the calf?',
    numbers: { times: [5, 25], y: [3, 7], x: 'times * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-buses',
    problem: 'Each van takes {y} guests. How many vans are needed for all {x} guests at the wedding?',
    numbers: { vans: [3, 16], y: [6, 15], x: 'vans * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-cards-dealt',
    problem:
      'A dealer hands out {x} cards so that each of {y} players holds the same number. How many cards does a player hold?',
    numbers: { each: [4, 17], y: [3, 8], x: 'each * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-dozens',
    problem: 'Eggs are sold by the dozen, that is 12 at a time. How many dozen are {x} eggs?',
    numbers: { dozens: [4, 50], x: 'dozens * 12' },
    expression: 'x / 12',
  },
  {
    id: 'divide-days-to-weeks',
    problem: 'The expedition was away for {x} days. Given 7 days in a week, how many weeks was it away?',
    numbers: { weeks: [3, 45], x: 'weeks * 7' },
    expression: 'x / 7',
  },
  {
    id: 'divide-rectangle-side',
    problem:
      'The area of a rectangular field is {x} square meters and one side is {y} meters. What is the other side in meters?',
    numbers: { side: [6, 60], y: [5, 40], x: 'side * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-read-rate',
    problem: '{A} must finish {x} pages within {y} days. How many pages a day is that, if every day is alike?',
    numbers: { rate: [8, 50], y: [3, 14], x: 'rate * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-wages',
    problem: 'For {y} hours of mowing {A} received {x.money}. What was {A.his} hourly pay in dollars?',
    numbers: { pay: [6, 18, 0.5], y: [2, 9], x: 'pay * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-aquarium',
    problem: 'A pet dealer moves {x} fish to {y} tanks, equally many to a tank. How many fish swim in a tank?',
    numbers: { each: [4, 30], y: [4, 15], x: 'each * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-irrelevant-cost',
    problem:
      '{A} spent {z} dollars on {x} {craft} and strung them on {y} necklaces, the same number on each. How many {craft} are on one necklace?',
    numbers: { z: [6, 28], each: [6, 30], y: [3, 9], x: 'each * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-irrelevant-temperature',
    problem:
      'On a day of {z} degrees a stall poured {x} cups of lemonade from {y} equal jugs. How many cups came out of a jug?',
    numbers: { z: [24, 39], each: [6, 18], y: [4, 20], x: 'each * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-irrelevant-floor',
    problem:
      'On floor {z} of the hotel, {x} towels were stacked in {y} piles of the same height. How many towels were in a pile?',
    numbers: { z: [2, 19], each: [5, 28], y: [3, 12], x: 'each * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-plank',
    problem: 'A carpenter saws a board of {x} feet into {y} equal shelves. How many feet long is a shelf?',
    numbers: { each: [1.5, 6, 0.5], y: [2, 8], x: 'each * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-half-price',
    problem:
      'Today everything in the shop is half price. A pair of boots was {x} dollars yesterday. How many dollars is it today?',
    numbers: { x: [18, 140, 2] },
    expression: 'x / 2',
  },
  {
    id: 'divide-bees',
    problem:
      'In {y} minutes a bee visits {x} blossoms. At this pace, how many blossoms does it visit in a single minute?',
    numbers: { rate: [6, 25], y: [4, 15], x: 'rate * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-quarter-of-crowd',
    problem: 'One in every {y} of the {x} runners wears a cap. How many runners wear one?',
    numbers: { caps: [4, 60], y: [3, 9], x: 'caps * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-beans',
    problem: 'Seed packets hold {y} beans. A gardener who wants {x} beans must open how many packets?',
    numbers: { packets: [3, 26], y: [8, 30], x: 'packets * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-coins',
    problem: 'A machine changes {x} cents into coins of {y} cents. How many coins drop out?',
    numbers: { coins: [4, 50], y: [5, 25, 5], x: 'coins * y' },
    expression: 'x / y',
  },
  {
    id: 'divide-times-as-long',
    problem:
      "{A}'s shadow is {y} feet and the flagpole's is {x} feet. How many times as long is the flagpole's shadow?",
    numbers: { times: [3, 12], y: [4, 9], x: 'times * y' },
    expression: 'x / y',
  },
];
