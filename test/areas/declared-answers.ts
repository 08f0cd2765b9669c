import { modelOf } from '../conformance/model.ts'

/** The status, the reason and the text of a response. The reason of a success is empty. */
export interface Answered {
  readonly status: number
  readonly reason: string
  readonly text: string
}

/** Reads a response whole. */
export async function answered(answer: Response): Promise<Answered> {
  const text = await answer.text()
  return { status: answer.status, reason: /"reason":"(\w+)"/.exec(text)?.[1] ?? '', text }
}

/**
 * Returns a function of an area: whether an operation declares a response, that is, a success, a reason of the operation,
 * or a common reason.
 */
export async function declaredBy(area: string): Promise<(operationId: string, answer: Answered) => boolean> {
  const { common, document } = await modelOf(area)
  return (operationId, { reason, status }) => {
    const raises = document.operations.find(({ id }) => id === operationId)?.raises ?? []
    const reasons = [...raises.map(each => each.replace(/^\w+\./, '')), ...common.map(each => each.reason)]
    return status === 200 || (status < 500 && reasons.includes(reason))
  }
}
