/*
 * What templates are filled with. Every member is always there, so that a template which names another one is an error;
 * what does not apply is '' or false, for `{{#if}}` and `{{#with}}`. All texts are code that may stand where their type
 * says, and nowhere else: a `Literal` is quoted already, and a `Comment` ends itself.
 */

/** An identifier as the file knows it: what is imported under another name is named so. */
export type Name = string

/** The code of a type, on one line. */
export type TypeCode = string

/** The code of a value, on one line: `'a'`, `['a', 'b']`, `{ kind: 'public' }`. */
export type Literal = string

/** A whole doc comment, or '' where the document says nothing. Its further lines are indented for its place. */
export type Comment = string

/** Words of the document on one line, for the inside of a comment: for `{{#doc}}`. */
export type Words = string
