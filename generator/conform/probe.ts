import type { HttpAnswer, Request } from './call.ts'
import { answerFaults } from './answer.ts'
import { requestOf, type Draft } from './draft.ts'
import type { Difference, Proof } from './report.ts'
import type { Subject } from './subject.ts'

/** The number of requests that the whole run may still send. */
export interface Budget {
  left: number
}

/** Sends the requests of one operation within the limits, judges each response to `send`, and collects the findings. */
export class Probe {
  readonly findings: Difference[] = []
  requests = 0
  omitted = 0
  readonly #subject: Subject
  readonly #limit: number
  readonly #budget: Budget
  readonly #known = new Set<string>()

  constructor(subject: Subject, limit: number, budget: Budget) {
    this.#subject = subject
    this.#limit = limit
    this.#budget = budget
  }

  /**
   * Sends a draft and judges its response. Returns undefined if the limit is reached or no response arrives. A missing
   * response becomes a finding.
   */
  async send(draft: Draft, what: string): Promise<HttpAnswer | undefined> {
    const request = requestOf(draft)
    const answer = await this.#exchange(request, what)
    for (const fault of answer ? answerFaults(answer, request, this.#subject) : []) {
      this.find('answer', fault.what, fault.expected, fault.got)
    }
    return answer
  }

  /**
   * Sends a draft of another operation without judging the response, because the walk of the other operation judges its
   * responses.
   */
  async peek(draft: Draft): Promise<HttpAnswer | undefined> {
    return this.#exchange(requestOf(draft), `${draft.operation.id} for this operation`)
  }

  /** Adds a finding, unless the same case already has a finding. */
  find(proof: Proof, what: string, expected: string, got: string): void {
    const key = JSON.stringify([proof, what, expected])
    if (this.#known.has(key)) return
    this.#known.add(key)
    this.findings.push({ operationId: this.#subject.operation.id, proof, what, expected, got })
  }

  async #exchange(request: Request, what: string): Promise<HttpAnswer | undefined> {
    if (this.requests >= this.#limit || this.#budget.left <= 0) {
      this.omitted += 1
      return undefined
    }
    this.requests += 1
    this.#budget.left -= 1
    try {
      return await this.#subject.call(request)
    } catch (error) {
      this.find('answer', what, 'an answer', error instanceof Error ? error.message : String(error))
      return undefined
    }
  }
}
