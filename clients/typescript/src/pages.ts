import type { Operations } from "./generated/index.js";

type Query<Name extends keyof Operations> =
  NonNullable<Parameters<Operations[Name]>[0]> extends { query?: infer Known } ? NonNullable<Known> : never;
type Page<Name extends keyof Operations> = NonNullable<Awaited<ReturnType<Operations[Name]>>>;

/** The operations that answer page by page: they take a `cursor` and answer a `next_cursor`. */
export type Paged = {
  [Name in keyof Operations]: "cursor" extends keyof Query<Name>
    ? Page<Name> extends { next_cursor?: string | null }
      ? Name
      : never
    : never;
}[keyof Operations];

export type PagedArguments<Name extends Paged> = Parameters<Operations[Name]>;

/** What such a list has, such as a `Message`. */
export type Item<Name extends Paged> = Extract<Page<Name>[keyof Page<Name>], readonly unknown[]>[number];
