/** Zero-based place in a document. */
export class Position {
  readonly line: number;
  readonly character: number;

  constructor(line: number, character: number) {
    this.line = line;
    this.character = character;
  }

  isBefore(other: Position): boolean {
    return this.line < other.line || (this.line === other.line && this.character < other.character);
  }

  isEqual(other: Position): boolean {
    return this.line === other.line && this.character === other.character;
  }
}

export class Range {
  readonly start: Position;
  readonly end: Position;

  constructor(
    startLine: number | Position,
    startCharacter: number | Position,
    endLine?: number,
    endCharacter?: number,
  ) {
    const start = startLine instanceof Position ? startLine : new Position(startLine, Number(startCharacter));
    const end = startCharacter instanceof Position ? startCharacter : new Position(endLine ?? 0, endCharacter ?? 0);
    [this.start, this.end] = end.isBefore(start) ? [end, start] : [start, end];
  }

  get isEmpty(): boolean {
    return this.start.isEqual(this.end);
  }
}

export class Selection extends Range {
  readonly anchor: Position;
  readonly active: Position;

  constructor(anchor: Position, active: Position);
  constructor(anchorLine: number, anchorCharacter: number, activeLine: number, activeCharacter: number);
  constructor(...ends: [Position, Position] | [number, number, number, number]) {
    const [anchor, active] =
      ends.length === 2 ? ends : [new Position(ends[0], ends[1]), new Position(ends[2], ends[3])];
    super(anchor, active);
    this.anchor = anchor;
    this.active = active;
  }
}
