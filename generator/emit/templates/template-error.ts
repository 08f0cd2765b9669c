/** A template override that cannot be used. The message names the place, the fault and the remedy. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}
