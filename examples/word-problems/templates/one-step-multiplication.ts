import type { Template } from './template.ts';

export const ONE_STEP_MULTIPLICATION: readonly Template[] = [
  {
    id: 'multiply-containers',
    problem: 'There are {x} {container} with {y} {fruit} in each. How many {fruit} are there?',
    numbers: { x: [3, 24], y: [4, 36] },
    expression: 'x * y',
  },
  {
    id: 'multiply-rows',
    problem: 'Chairs are set out in {x} rows of {y}. How many chairs are set out?',
    numbers: { x: [4, 28], y: [5, 30] },
    expression: 'x * y',
  },
  {
    id: 'multiply-price',
    problem: 'One {colour} balloon costs {y} cents. How many cents do {x} of them cost?',
    numbers: { x: [3, 16], y: [5, 75, 5] },
    expression: 'x * y',
  },
  {
    id: 'multiply-speed',
    problem: 'A cyclist rides {y} kilometers every hour. How far does she get in {x} hours, in kilometers?',
    numbers: { x: [2, 9], y: [9, 32] },
    expression: 'x * y',
  },
  {
    id: 'multiply-legs',
    problem: '{x} spiders sit in a web. A spider has 8 legs. How many legs are in the web?',
    numbers: { x: [3, 60] },
    expression: 'x * 8',
  },
  {
    id: 'multiply-weeks',
    problem: 'The voyage lasts {x} weeks. How many days is that, at 7 days to the week?',
    numbers: { x: [3, 52] },
    expression: 'x * 7',
  },
  {
    id: 'multiply-times-as-many',
    problem: '{A} has {x} {toy}. {B} has {y} times as many. How many {toy} does {B} have?',
    numbers: { x: [4, 35], y: [3, 9] },
    expression: 'x * y',
  },
  {
    id: 'multiply-wage',
    problem: '{A} earns {y.money} an hour in the {place}. What does {A.he} earn in {x} hours, in dollars?',
    numbers: { x: [3, 12], y: [7.5, 18, 0.5] },
    expression: 'x * y',
  },
  {
    id: 'multiply-area',
    problem: 'A rectangular carpet is {x} feet long and {y} feet wide. What is its area in square feet?',
    numbers: { x: [5, 24], y: [3, 18] },
    expression: 'x * y',
  },
  {
    id: 'multiply-pages-per-day',
    problem: 'If {A} learns {y} new words a day, how many words will {A.he} know after {x} days?',
    numbers: { x: [4, 30], y: [3, 15] },
    expression: 'x * y',
  },
  {
    id: 'multiply-teams',
    problem: '{x} teams entered the cup and each team brought {y} players. How many players came?',
    numbers: { x: [6, 32], y: [5, 15] },
    expression: 'x * y',
  },
  {
    id: 'multiply-medicine',
    problem: 'A nurse gives {x} drops of syrup {y} times a day. How many drops a day does she give?',
    numbers: { x: [5, 25], y: [2, 6] },
    expression: 'x * y',
  },
  {
    id: 'multiply-bricks',
    problem: 'To lift one brick takes {y} newtons of force. What force lifts {x} such bricks at once, in newtons?',
    numbers: { x: [2, 9], y: [18, 35] },
    expression: 'x * y',
  },
  {
    id: 'multiply-petals',
    problem: 'Every one of the {x} {flower} {A} drew has {y} petals. How many petals did {A.he} draw?',
    numbers: { x: [4, 26], y: [5, 13] },
    expression: 'x * y',
  },
  {
    id: 'multiply-recipe-cups',
    problem: 'One loaf takes {y} cups of flour. How many cups does the baker use for {x} loaves?',
    numbers: { x: [4, 40], y: [1.5, 4.5, 0.5] },
    expression: 'x * y',
  },
  {
    id: 'multiply-tickets-money',
    problem:
      'A ride on the wheel costs {y} tickets. {A} takes the ride {x} times. How many tickets does {A.he} hand over?',
    numbers: { x: [2, 12], y: [3, 9] },
    expression: 'x * y',
  },
  {
    id: 'multiply-vehicles',
    problem: 'The club hires {x} {vehicle} that hold {y} people each. How many people can travel?',
    numbers: { x: [3, 14], y: [8, 54] },
    expression: 'x * y',
  },
  {
    id: 'multiply-floors',
    problem: 'A tower block of {x} floors has {y} windows on every floor. Count its windows.',
    numbers: { x: [5, 40], y: [6, 28] },
    expression: 'x * y',
  },
  {
    id: 'multiply-heartbeat',
    problem: 'A heart beats {y} times in one minute. How often does it beat in {x} minutes?',
    numbers: { x: [3, 15], y: [55, 96] },
    expression: 'x * y',
  },
  {
    id: 'multiply-mail-rounds',
    problem: 'A mail carrier walks the same {y}-mile round on each of {x} days. How many miles does she walk?',
    numbers: { x: [3, 26], y: [4, 19] },
    expression: 'x * y',
  },
  {
    id: 'multiply-irrelevant-age',
    problem:
      'A {z}-year-old oak has {x} branches, and on each branch hang {y} acorns. How many acorns does the oak carry?',
    numbers: { z: [40, 190], x: [6, 30], y: [8, 45] },
    expression: 'x * y',
  },
  {
    id: 'multiply-irrelevant-shelves',
    problem:
      '{A} buys {x} packs of {stationery} for {z} dollars. A pack contains {y}. How many {stationery} does {A.he} buy?',
    numbers: { z: [5, 30], x: [3, 15], y: [6, 24] },
    expression: 'x * y',
  },
  {
    id: 'multiply-dozen',
    problem: 'A dozen is 12. {A} orders {x} dozen {sweet} for the party. How many {sweet} are ordered?',
    numbers: { x: [2, 25] },
    expression: 'x * 12',
  },
  {
    id: 'multiply-fence-posts',
    problem: 'Planks are {y} meters long. {A} lays {x} planks end to end. How many meters do they reach?',
    numbers: { x: [4, 30], y: [1.5, 4, 0.5] },
    expression: 'x * y',
  },
  {
    id: 'multiply-factory',
    problem: 'A machine stamps {y} lids a minute without pausing. How many lids has it stamped after {x} minutes?',
    numbers: { x: [6, 45], y: [12, 60] },
    expression: 'x * y',
  },
  {
    id: 'multiply-allowance',
    problem: 'Each week {A.his} {relative} hands {A} {y.money}. How many dollars is that over {x} weeks?',
    numbers: { x: [4, 20], y: [1.25, 7.5, 0.25] },
    expression: 'x * y',
  },
  {
    id: 'multiply-tiles',
    problem: 'A bathroom wall takes {x} tiles across and {y} tiles up. How many tiles cover the wall?',
    numbers: { x: [8, 30], y: [7, 28] },
    expression: 'x * y',
  },
  {
    id: 'multiply-half',
    problem: '{A} jogs {y} of a mile in each lap. After {x} laps, how many miles has {A.he} jogged?',
    numbers: { x: [4, 28, 4], y: [0.25, 0.75, 0.25] },
    expression: 'x * y',
  },
  {
    id: 'multiply-sheep-wool',
    problem: 'Shearing a sheep yields {y} kilograms of wool. How many kilograms do {x} sheep yield?',
    numbers: { x: [5, 60], y: [2, 6, 0.5] },
    expression: 'x * y',
  },
  {
    id: 'multiply-stairs',
    problem: 'It is {x} flights up to the roof and one flight has {y} stairs. How many stairs must {A} climb?',
    numbers: { x: [3, 20], y: [9, 22] },
    expression: 'x * y',
  },
];
