/**
 * Constants of the relevance of a record for a search: BM25 over several fields (Robertson, Zaragoza, Taylor: "Simple
 * BM25 Extension to Multiple Weighted Fields", CIKM 2004), in integers, so that all engines agree. docs/search.md has
 * the formula.
 */

/** Of all records that match, at most so many are ranked: the newest ones. */
export const mostRanked = 10_000

/** A word that more records have counts as one of so many records, and its frequency in a field counts as one. */
export const mostCounted = 10_000

/** Words and phrases that a ranked search may ask for. */
export const mostRankedTerms = 16

/** Factor by which the logarithm of a word's rarity is made an integer. */
export const rarityScale = 1_000_000

/** k1 and b of BM25, in thousandths: how soon further occurrences stop to matter, and how much length matters. */
export const saturation = 1_200
export const lengthShare = 750
