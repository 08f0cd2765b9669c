/** A template override that cannot be used; the message has the place, the fault and the remedy. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}
