import type { Template } from './template.ts';

export const ONE_STEP_ADDITION: readonly Template[] = [
  {
    id: 'add-birthday',
    problem: '{A} had {x} {toy}. On {A.his} birthday {A.he} got {y} more. How many {toy} does {A} have now?',
    numbers: { x: [5, 60], y: [3, 45] },
    expression: 'x + y',
  },
  {
    id: 'add-two-baskets',
    problem: 'One basket holds {x} {fruit} and another one holds {y}. How many {fruit} are in both baskets?',
    numbers: { x: [11, 80], y: [7, 75] },
    expression: 'x + y',
  },
  {
    id: 'add-lent-books',
    problem: 'The library lent out {x} books before noon and {y} books after noon. How many books went out that day?',
    numbers: { x: [20, 160], y: [15, 140] },
    expression: 'x + y',
  },
  {
    id: 'add-pages',
    problem:
      'On {day} {A} read {x} pages of a novel, and the day after {A.he} read {y}. What is the total number of pages {A.he} read?',
    numbers: { x: [12, 90], y: [9, 85] },
    expression: 'x + y',
  },
  {
    id: 'add-eggs-laid',
    problem:
      'A farmer has already sold {x} eggs, and {y} eggs still lie in the barn. How many eggs did the hens lay altogether?',
    numbers: { x: [24, 180], y: [6, 96] },
    expression: 'x + y',
  },
  {
    id: 'add-train-stops',
    problem:
      'An empty train takes on {x} passengers at its first stop and {y} at its second. How many people ride it after that?',
    numbers: { x: [8, 120], y: [8, 90] },
    expression: 'x + y',
  },
  {
    id: 'add-older',
    problem: '{A} is {x} years old. {B} is {y} years older than {A}. How old is {B}?',
    numbers: { x: [4, 40], y: [2, 35] },
    expression: 'x + y',
  },
  {
    id: 'add-rope',
    problem:
      'A rope was cut into a piece of {x} meters and a piece of {y} meters. How many meters long was it before the cut?',
    numbers: { x: [3, 70], y: [2, 60] },
    expression: 'x + y',
  },
  {
    id: 'add-pour',
    problem:
      'A tank contains {x} liters of water. {A} pours {y} liters into it. How many liters does the tank contain then?',
    numbers: { x: [2.5, 40, 0.5], y: [1.5, 20, 0.5] },
    expression: 'x + y',
  },
  {
    id: 'add-lunch-price',
    problem: 'A sandwich is {x.money} and a glass of juice is {y.money}. What do the two cost together, in dollars?',
    numbers: { x: [3.25, 9.75, 0.25], y: [1.25, 4.75, 0.25] },
    expression: 'x + y',
  },
  {
    id: 'add-blocks-walked',
    problem:
      '{A} went {x} blocks from home to the {place}, then {y} blocks on to visit {A.his} {relative}. How many blocks was the whole walk?',
    numbers: { x: [3, 25], y: [2, 24] },
    expression: 'x + y',
  },
  {
    id: 'add-flower-bed',
    problem: '{x} {colour} {flower} and {y} {colour2} {flower} bloom in the same bed. How many {flower} bloom there?',
    numbers: { x: [5, 55], y: [6, 65] },
    expression: 'x + y',
  },
  {
    id: 'add-collected-age',
    problem:
      '{A}, who is {z} years old, found {x} {craft} last week and {y} this week. How many {craft} did {A.he} find in the two weeks?',
    numbers: { z: [7, 14], x: [8, 70], y: [5, 64] },
    expression: 'x + y',
  },
  {
    id: 'add-halves',
    problem:
      'A team of {z} players scored {x} points in the first half and {y} points in the second half. What was its final score?',
    numbers: { z: [5, 11], x: [10, 60], y: [10, 60] },
    expression: 'x + y',
  },
  {
    id: 'add-thermometer',
    problem:
      'At dawn the thermometer showed {x} degrees. By noon it had climbed {y} degrees. What did it show at noon?',
    numbers: { x: [2, 60], y: [3, 28] },
    expression: 'x + y',
  },
  {
    id: 'add-debts',
    problem: '{A} owes {x} dollars to {B} and {y} dollars to {C}. How many dollars does {A} owe in all?',
    numbers: { x: [5, 95], y: [4, 88] },
    expression: 'x + y',
  },
  {
    id: 'add-three-shelves',
    problem:
      'Jam stands on three shelves: {x} jars on the top one, {y} on the middle one, {w} on the lowest. How many jars is that?',
    numbers: { x: [4, 30], y: [5, 30], w: [6, 30] },
    expression: 'x + y + w',
  },
  {
    id: 'add-snail',
    problem:
      'A snail crept {x} centimeters up a wall, slept, and crept {y} centimeters further. How many centimeters up the wall is it?',
    numbers: { x: [10, 130], y: [5, 120] },
    expression: 'x + y',
  },
  {
    id: 'add-laps-more',
    problem: '{A} swims {x} laps every {day}. {B} manages {y} laps more. How many laps does {B} swim?',
    numbers: { x: [6, 48], y: [2, 30] },
    expression: 'x + y',
  },
  {
    id: 'add-meadow',
    problem:
      '{x} {animal} were grazing in a meadow when {y} others came over the hill to join them. How many {animal} are grazing now?',
    numbers: { x: [6, 75], y: [3, 60] },
    expression: 'x + y',
  },
  {
    id: 'add-parking-levels',
    problem:
      'There is room for {x} cars on the lower level of a garage and for {y} cars on the upper level. How many cars can park in it?',
    numbers: { x: [30, 240], y: [25, 210] },
    expression: 'x + y',
  },
  {
    id: 'add-homework-minutes',
    problem:
      'Spelling takes {A} {x} minutes and maths takes {A.him} {y} minutes. How many minutes of homework is that?',
    numbers: { x: [10, 55], y: [10, 65] },
    expression: 'x + y',
  },
  {
    id: 'add-package-weight',
    problem:
      'A lamp weighs {x} kilograms and its packing weighs {y} kilograms. Find the weight of the whole parcel in kilograms.',
    numbers: { x: [1.2, 9.8, 0.1], y: [0.2, 1.9, 0.1] },
    expression: 'x + y',
  },
  {
    id: 'add-fair-tickets',
    problem: 'The fair sold {x} tickets to adults and {y} tickets to children. How many tickets did it sell?',
    numbers: { x: [40, 320], y: [55, 410] },
    expression: 'x + y',
  },
  {
    id: 'add-money-brought',
    problem:
      'After spending {x} dollars at the {place}, {A} has {y} dollars in {A.his} purse. How many dollars did {A.he} bring along?',
    numbers: { x: [6, 70], y: [3, 65] },
    expression: 'x + y',
  },
  {
    id: 'add-given-away',
    problem: '{A} gave {x} {stationery} to {B} and kept {y} for {A.his} desk. How many did {A.he} own at first?',
    numbers: { x: [3, 38], y: [4, 42] },
    expression: 'x + y',
  },
  {
    id: 'add-playground',
    problem: 'When the bell rang, {x} children ran inside and {y} stayed on the playground. How many had been playing?',
    numbers: { x: [9, 80], y: [4, 50] },
    expression: 'x + y',
  },
  {
    id: 'add-rainfall',
    problem:
      'Rain gauges caught {x} millimeters on {day} and {y} millimeters the next night. How many millimeters of rain fell in that time?',
    numbers: { x: [2.2, 30, 0.2], y: [1.1, 25, 0.1] },
    expression: 'x + y',
  },
  {
    id: 'add-choir',
    problem: 'A hall with {z} seats hosts a choir of {x} women and {y} men. How many singers are in the choir?',
    numbers: { z: [150, 600, 10], x: [12, 48], y: [10, 46] },
    expression: 'x + y',
  },
  {
    id: 'add-nails',
    problem:
      '{A} hammers {x} nails into a fence while {B} hammers {y} nails into the other side. Together, how many nails do they hammer?',
    numbers: { x: [14, 88], y: [12, 90] },
    expression: 'x + y',
  },
  {
    id: 'add-game-coins',
    problem:
      'Level one of a game pays {x} coins, level two pays {y} coins. {A} clears both. How many coins does {A.he} earn?',
    numbers: { x: [25, 250, 5], y: [30, 300, 5] },
    expression: 'x + y',
  },
  {
    id: 'add-ribbon',
    problem:
      'A {colour} ribbon measures {x} inches. A {colour2} one is longer by {y} inches. How many inches does the {colour2} ribbon measure?',
    numbers: { x: [9, 85], y: [3, 50] },
    expression: 'x + y',
  },
  {
    id: 'add-queue',
    problem:
      "At ten o'clock {x} visitors queue outside the {place}; an hour later {y} more have come and nobody has gone. How long is the queue then?",
    numbers: { x: [7, 95], y: [6, 90] },
    expression: 'x + y',
  },
  {
    id: 'add-savings',
    problem:
      '{A} keeps {x.money} in a jar and finds another {y.money} in a coat pocket. How much money does {A.he} have?',
    numbers: { x: [4.5, 60, 0.25], y: [0.5, 12, 0.25] },
    expression: 'x + y',
  },
];
