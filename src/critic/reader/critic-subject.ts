/** One thing a reader is shown, with the name by which evidence can point at it. */
export interface SubjectLine {
  /** Empty for lines that are no evidence, such as headings. */
  event: string;
  text: string;
}

export interface SubjectPart {
  title: string;
  lines: SubjectLine[];
}

/** What a reader judges. `parts`: the harness first, then one part a run, failing runs first. */
export interface CriticSubject {
  id: string;
  /** What was seen from outside; may be empty. */
  problem: string;
  parts: SubjectPart[];
}
