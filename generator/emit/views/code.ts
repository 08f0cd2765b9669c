/*
 * The texts in the views of templates. Every member of a view is always present, so that a template that names another
 * member causes an error. A member without a value is '' or false, for `{{#if}}` and `{{#with}}`. All texts are code
 * for the place that their type names: a `Literal` is quoted already, and a `Comment` has its own delimiters.
 */

/**
 * The local name of an identifier in the file; an imported symbol may have another local name than its module gives it.
 */
export type Name = string

/** The code of a type, on one line. */
export type TypeCode = string

/** The code of a value, on one line: `'a'`, `['a', 'b']`, `{ kind: 'public' }`. */
export type Literal = string

/**
 * A doc comment with its delimiters, or '' if the document has no words for the commented code. The further lines of
 * the comment are indented for the place in the template.
 */
export type Comment = string

/** Words of the document on one line, for the text of a comment in `{{#doc}}`. */
export type Words = string
