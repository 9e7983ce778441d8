/** A companion as an agent found it. */
export interface CompanionAddress {
  readonly port: number;
  readonly token: string | undefined;
  /** What the agent shows to the user. */
  readonly editorName: string;
  /** The record it was found through; undefined where the environment alone named it. */
  readonly record: string | undefined;
}
