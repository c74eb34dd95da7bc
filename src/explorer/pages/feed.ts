/** The feed of a collection: the newest records of a view. */
import type { Subject } from '../fields/subject.ts'
import { atomFeed } from '../feeds/feed.ts'
import { feedPanel, readFeed } from '../feeds/feed-list.ts'
import { buildOperation } from '../../ask/operation.ts'
import { type Draft, type FileDraft, newestIndexed, type PageRequest, type Site } from '../page.ts'
import { viewTitle } from '../export-menu/view-title.ts'
import { readView } from '../view/view.ts'
import { problemPage } from './failure.ts'

export function feedPage(site: Site, subject: Subject, request: PageRequest): Draft | FileDraft {
  const { parameters, language, origin, address } = request
  const { view, problems } = readView(parameters, subject)
  const name = viewTitle(view, subject, language)
  if (problems.length > 0) return problemPage(problems, name, request)
  return {
    status: 200,
    media: 'application/atom+xml; charset=utf-8',
    operation: buildOperation(site.schema, 'Feed', [feedPanel(view, subject, site)]),
    write(answer, _ask, index) {
      const given = {
        title: `${name} · ${site.title}`,
        self: origin + address,
        origin,
        updated: newestIndexed(index),
        language,
      }
      return atomFeed(readFeed(answer, view, subject, site, given))
    },
  }
}
