import { resourceText } from '../traces/span-text.ts'
import type { SpanResource } from '../traces/span.ts'
import type { SentSpan, SpanBatch } from '../traces/trace-engine.ts'
import { largePayload } from './payload-faults.ts'
import type { Refusal } from './sample-batch.ts'

/** The largest number of characters of all spans and resources of a request, so that a request cannot fill the memory. */
const maxCharacters = 134_217_728

/** Collects the spans of a request. */
export class SpanCollector {
  readonly #resources: { readonly service: string; readonly text: string }[] = []
  readonly #numbers = new Map<string, number>()
  readonly #spans: SentSpan[] = []
  readonly #rejections = new Map<string, number>()
  #message = ''
  #characters = 0

  /** Adds a resource; returns its position. Throws PAYLOAD_TOO_LARGE beyond the largest number of characters. */
  addResource(resource: SpanResource): number {
    const text = resourceText(resource)
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    this.#count(text)
    this.#numbers.set(text, this.#resources.length)
    return this.#resources.push({ service: resource.service, text }) - 1
  }

  /** Adds a span. Throws as `addResource`. */
  add(span: SentSpan): void {
    this.#count(span.text)
    this.#spans.push(span)
  }

  /** Counts a span that is refused; the first message is kept. */
  refuse({ message, reason }: Refusal): void {
    this.#message ||= message
    this.#rejections.set(reason, (this.#rejections.get(reason) ?? 0) + 1)
  }

  finish(): SpanBatch {
    return {
      resources: this.#resources,
      spans: this.#spans,
      rejections: Object.fromEntries(this.#rejections),
      message: this.#message,
    }
  }

  #count({ length }: string): void {
    this.#characters += length
    if (this.#characters > maxCharacters) throw largePayload('has too much text; send smaller batches')
  }
}
