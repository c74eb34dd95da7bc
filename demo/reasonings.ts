/** The sentences in which an analysis gives its reasons. */

export function explainImpact(level: number): string {
  if (level <= 2) return 'Concerns a few people in one place for a short time.'
  if (level <= 4) return 'Matters to one town or one trade.'
  if (level <= 6) return 'Changes something for a whole country or a large industry.'
  if (level <= 8) return 'Reaches several countries and will be felt for years.'
  return 'Lives are at stake, and other states will have to respond.'
}

export function explainBait(score: number): string {
  if (score <= 1) return 'The headline says plainly what the article reports.'
  if (score <= 4) return 'The headline is accurate but dressed up a little.'
  if (score <= 7) return 'The headline promises more emotion than the article holds.'
  return 'The headline withholds the news so that the reader has to click.'
}

export function explainOrientation(orientation: string): string {
  switch (orientation) {
    case 'left':
      return 'Causes are sought in inequality, and unions and residents speak first.'
    case 'center-left':
      return 'Public services are the measure, with room for other views.'
    case 'center-right':
      return 'Costs and enterprise are the measure, with room for other views.'
    case 'right':
      return 'Order and private initiative are taken as the standard.'
    case 'neutral':
      return 'Facts and figures only; no side is framed.'
    default:
      return 'Both sides are quoted at similar length.'
  }
}
