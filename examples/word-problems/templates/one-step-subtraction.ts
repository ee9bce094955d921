import type { Template } from './template.ts';

export const ONE_STEP_SUBTRACTION: readonly Template[] = [
  {
    id: 'subtract-eaten',
    problem: '{A} baked {x} {sweet}. {A.His} brothers ate {y} of them. How many {sweet} are left?',
    numbers: { rest: [3, 50], y: [3, 40], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-bus-off',
    problem: '{x} people sit on a bus. At the {place} {y} of them get off. How many people stay on the bus?',
    numbers: { rest: [4, 45], y: [3, 35], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-difference-marbles',
    problem: '{A} owns {x} {toy}, {B} owns {y}. How many more {toy} does {A} own than {B}?',
    numbers: { more: [2, 48], y: [4, 60], x: 'more + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-pages-left',
    problem:
      'A book is {x} pages long and {A} has reached the end of page {y}. How many pages does {A.he} still have to read?',
    numbers: { rest: [12, 210], y: [10, 190], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-change',
    problem: '{A} pays for a toy of {y} dollars with {x} dollars. How many dollars does {A.he} get back?',
    numbers: { x: [20, 100, 5], back: [1, 18], y: 'x - back' },
    expression: 'x - y',
  },
  {
    id: 'subtract-younger',
    problem: 'Grandpa, now {x}, was {y} when {A} was born. What is the age of {A} today?',
    numbers: { rest: [5, 32], y: [41, 60], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-sold-flowers',
    problem: 'In the morning a shop had {x} {flower}; in the evening only {y} remained. How many {flower} did it sell?',
    numbers: { sold: [8, 120], y: [4, 60], x: 'sold + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-needed-points',
    problem: '{A} needs {x} points to win a prize and has {y} so far. How many points is {A.he} short?',
    numbers: { rest: [5, 150], y: [10, 300], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-broken-eggs',
    problem: 'Out of {x} eggs, {y} were cracked. How many were whole?',
    numbers: { rest: [10, 100], y: [2, 30], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-tower',
    problem: 'The new tower is {x} meters tall, the old one {y} meters. By how many meters is the new tower taller?',
    numbers: { more: [6, 120], y: [15, 140], x: 'more + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-boys',
    problem: 'Of the {x} pupils in the hall, {y} are boys. How many girls are there?',
    numbers: { girls: [9, 90], y: [8, 95], x: 'girls + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-lost-buttons',
    problem: '{A} cannot find {y} of the {x} {craft} {A.he} kept in a tin. How many are still in the tin?',
    numbers: { rest: [5, 78], y: [2, 36], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-fuel',
    problem: 'A truck set out with {x} liters of fuel and came home with {y} liters. How many liters did it burn?',
    numbers: { used: [8.5, 70, 0.5], y: [4, 40, 0.5], x: 'used + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-cooling',
    problem: 'Soup at {x} degrees cools down by {y} degrees. What is its temperature now?',
    numbers: { rest: [20, 60], y: [8, 45], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-discount',
    problem: 'A coat marked at {x.money} is sold for {y.money} less. What does a buyer pay, in dollars?',
    numbers: { rest: [15, 90, 0.5], y: [3.5, 25, 0.5], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-escaped',
    problem:
      'The shepherd counted {x} {animal} at night but {y} ran off before sunrise. How many were left for {A.him}, {A} the shepherd, to feed?',
    numbers: { rest: [6, 88], y: [2, 30], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-unsold-seats',
    problem: 'A theater with {x} seats has sold {y} of them for tonight. How many seats can still be bought?',
    numbers: { rest: [10, 180], y: [40, 300], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-string',
    problem:
      'From a string of {x} centimeters {A} snips off {y} centimeters. How long is what remains, in centimeters?',
    numbers: { rest: [5, 130], y: [4, 90], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-birds',
    problem: 'There were {x} sparrows on a wire. Suddenly {y} flew away. How many sparrows are on the wire now?',
    numbers: { rest: [3, 40], y: [2, 38], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-second-day',
    problem:
      'In two days {A} sold {x} raffle tickets. On the first day {A.he} sold {y}. How many did {A.he} sell on the second?',
    numbers: { rest: [9, 95], y: [8, 85], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-received',
    problem: 'Yesterday {A} had {y} {stationery}, today {A.he} has {x}. How many did {A.he} receive?',
    numbers: { got: [3, 40], y: [5, 55], x: 'got + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-weight-loss',
    problem:
      'A bear went to sleep weighing {x} kilograms and woke up {y} kilograms lighter. What did it weigh when it woke up?',
    numbers: { rest: [90, 280], y: [15, 110], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-river',
    problem:
      'Two rivers differ in length. One runs {x} kilometers, the other {y} kilometers. What is the difference in kilometers?',
    numbers: { more: [14, 260], y: [60, 420], x: 'more + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-irrelevant-price',
    problem:
      '{A} bought {x} {vegetable} for {z} dollars and cooked {y} of them. How many {vegetable} has {A.he} not cooked?',
    numbers: { z: [4, 19], rest: [4, 44], y: [3, 36], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-irrelevant-time',
    problem: "At {z} o'clock there were {x} swimmers in the pool; {y} have left since. How many swimmers are in it?",
    numbers: { z: [2, 9], rest: [5, 60], y: [4, 45], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-irrelevant-other',
    problem:
      '{A} has {x} {fruit} and {z} {vegetable}. {A.He} uses {y} {fruit} for a cake. How many {fruit} does {A.he} have afterwards?',
    numbers: { z: [4, 40], rest: [3, 42], y: [2, 30], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-donated',
    problem:
      'The school gathered {x} coats for charity. So far {y} have been handed out. How many coats wait to be handed out?',
    numbers: { rest: [12, 140], y: [10, 160], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-shorter-trip',
    problem: 'By road the trip takes {x} minutes, by train {y}. How many minutes does one save by train?',
    numbers: { more: [5, 75], y: [20, 110], x: 'more + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-votes',
    problem: 'In the class election {A} got {y} of {x} votes and {B} got all the others. How many votes went to {B}?',
    numbers: { rest: [8, 90], y: [9, 80], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-melted',
    problem:
      'A block of ice of {x} kilograms stood in the sun until just {y} kilograms were left. How many kilograms melted?',
    numbers: { lost: [1.5, 20, 0.5], y: [0.5, 15, 0.5], x: 'lost + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-steps-down',
    problem: 'A lighthouse has {x} steps. {A} stops to rest on step {y}. How many steps are still above {A.him}?',
    numbers: { rest: [11, 130], y: [10, 120], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-absent',
    problem: '{x} workers belong to the crew, but {y} called in sick on {day}. How many came to work?',
    numbers: { rest: [10, 110], y: [2, 25], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-phone',
    problem:
      "{A}'s phone showed {x} percent battery, and a film used up {y} percent. What percentage does the phone show now?",
    numbers: { rest: [8, 50], y: [10, 45], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-balloons',
    problem:
      'Wind carried off {y} of the {x} {colour} balloons at the party. How many balloons did the guests still see?',
    numbers: { rest: [6, 55], y: [3, 28], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-pocket',
    problem: 'With {x.money} in {A.his} pocket, {A} buys a comic for {y.money}. How much is left in the pocket?',
    numbers: { rest: [1.25, 20, 0.25], y: [2.5, 9, 0.25], x: 'rest + y' },
    expression: 'x - y',
  },
  {
    id: 'subtract-record',
    problem:
      'The record for the long jump is {x} meters. {A} jumped {y} meters less than that. How many meters did {A} jump?',
    numbers: { rest: [2.1, 5.9, 0.1], y: [0.3, 2.5, 0.1], x: 'rest + y' },
    expression: 'x - y',
  },
];
