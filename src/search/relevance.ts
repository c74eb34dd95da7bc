/**
 * Constants of the relevance of a record for a search: BM25 over several fields (Robertson, Zaragoza, Taylor: "Simple
 * BM25 Extension to Multiple Weighted Fields", CIKM 2004), in integers, so that all engines agree. docs/search.md has
 * the formula.
 */

/** Maximum number of ranked records: the newest that match. */
export const mostRanked = 10_000

/** Records with a word are counted up to this number. Words that reach it count once if another word is rarer. */
export const mostCounted = 10_000

/** Maximum number of words and phrases of a search by relevance. */
export const mostRankedTerms = 16

/** Factor by which the logarithm of a word's rarity is made an integer. */
export const rarityScale = 1_000_000

/** k1 and b of BM25, in thousandths: how soon further occurrences stop mattering, and how much length matters. */
export const saturation = 1_200
export const lengthShare = 750
