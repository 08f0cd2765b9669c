/** An override of a template that cannot be used; the message says where, what is wrong, and what to do. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}
