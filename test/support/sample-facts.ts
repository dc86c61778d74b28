import type { Fact, OfferedFact } from '../../events/facts/catalogue.ts';

type Sample = { data: unknown; content?: unknown };
const span = { start: 0.5, end: 2.25 };
const words = [{ text: 'Grüße', ...span }];
const block = { id: 't-0001', speaker: 'SPEAKER_1', ...span, text: 'Grüße aus Köln.', words };
const voice = {
  label: 'SPEAKER_1',
  embedding_model: 'voices',
  embedding: [0.6, -0.8],
  seconds: 1,
  sample: [0, 1] as [number, number],
};
const origin = { owner: 'U1', kind: 'meeting', language: 'de', speakers: 2 };
const audio = { path: 'audio.wav', bytes: 320_044, sha256: 'ab'.repeat(32), duration: 10 };
const ledger = { samples: 160_000, gaps: [[3.5, 0.25]], silent_seconds: 1.5, clipped_samples: 3 };
const line = {
  kind: 'task',
  text: 'Ask Änne about Köln.',
  speaker: null,
  person: 'Änne',
  due: 'by Friday',
  block: 't-0001',
};
const worker = { engine: 'local', model: 'parakeet-tdt-0.6b-v3' };

/** One fact of every type, as somebody might offer it. The compiler tells when a type is missing. */
export type FactType = Fact['type'];

const samples: Record<FactType, Sample> = {
  'recording.started': {
    data: { ...origin, device: 'default', trigger: 'api' },
    content: { title: 'Wöchentliches Treffen' },
  },
  'recording.paused': { data: {} },
  'recording.resumed': { data: {} },
  'recording.discarded': { data: {} },
  'audio.captured': { data: { ...audio, ledger } },
  'capture.interrupted': { data: { ...audio, ledger, reason: 'device-lost' } },
  'audio.compressed': {
    data: { path: 'audio.flac', bytes: 160_022, sha256: 'cd'.repeat(32), replaces: 'audio.wav' },
  },
  'audio.extended': {
    data: { ...audio, ledger, path: 'audio-2.wav', before: 8, replaces: 'audio.wav' },
  },
  'recording.joined': { data: { with: '01JCZY0000000000000000000B' } },
  'sidenotes.carried': {
    data: {
      notes: [
        { note: 1, at: 2, by: 'ada', written_at: '2026-01-02T03:04:05Z' },
        {
          note: 2,
          at: 3,
          block: 't-0001',
          mark: true,
          by: 'ada',
          written_at: '2026-01-02T03:04:05Z',
        },
      ],
    },
    content: { texts: ['Ask Ben.', ''] },
  },
  'recording.continued': { data: { into: '01JCZY0000000000000000000D' } },
  'recording.kept_apart': { data: { reason: 'gone' } },
  'recording.cut': { data: { at: 4, into: '01JCZY0000000000000000000C' } },
  'passage.removed': { data: { from: 2, to: 3 } },
  'audio.assembled': {
    data: {
      ...audio,
      path: 'audio-9.wav',
      replaces: 'audio.wav',
      parts: [{ recording: '01JCZY0000000000000000000B', from: 0, to: 4 }],
    },
  },
  'audio.removed': { data: { path: 'audio.wav' } },
  'audio.imported': {
    data: { ...origin, ...audio, started_at: '2026-11-20T09:00:00Z' },
    content: { filename: 'Besprechung.m4a' },
  },
  'stage.started': { data: { stage: 'transcribe' } },
  'stage.interrupted': { data: { stage: 'transcribe' } },
  'stage.failed': {
    data: { stage: 'summarise', code: 'UPSTREAM', retriable: true },
    content: { message: 'The language model did not answer.', traceback: 'Error: …' },
  },
  'speech.followed': { data: { detector: 'webrtc', stretches: [[0.5, 2.25]], cut: true } },
  'speech.detected': {
    data: { detector: 'silero', duration: 10, stretches: [[0.5, 2.25]], warnings: [] },
  },
  'utterance.recognised': {
    data: { index: 0, ...span, words: 1, language: 'de' },
    content: { segments: [{ ...span, text: 'Grüße', words }] },
  },
  'transcription.completed': { data: { ...worker, language: 'de', utterances: 1, words: 1 } },
  'diarization.completed': {
    data: { ...worker, turns: [[0.5, 2.25, 'SPEAKER_1']] },
    content: {
      embedding_model: 'voices',
      voices: [{ label: 'SPEAKER_1', seconds: 1.75, embedding: [0.6, -0.8] }],
    },
  },
  'diarization.skipped': { data: { reason: 'no model' } },
  'identification.completed': {
    data: worker,
    content: { names: [{ name: 'Änne', confidence: 0.9, reason: 'She says her name.' }] },
  },
  'identification.skipped': { data: { reason: 'no language model' } },
  'turns.joined': {
    data: { speakers: [{ label: 'SPEAKER_1', seconds: 1.75 }] },
    content: {
      turns: [block],
      suggestions: [
        {
          label: 'SPEAKER_1',
          name: 'Änne',
          confidence: 0.9,
          reason: 'She says her name.',
          sample: { ...span, text: 'Grüße' },
          samples: [{ ...span, text: 'Köln' }],
        },
      ],
    },
  },
  'speakers.named': {
    data: { labels: ['SPEAKER_1'] },
    content: { names: { SPEAKER_1: 'Änne' }, voices: [voice] },
  },
  'speakers.skipped': { data: {} },
  'speakers.postponed': { data: {} },
  'voices.named': { data: { labels: ['VOICE_1'] }, content: { names: { VOICE_1: 'Änne' } } },
  'voice.renamed': { data: { labels: ['SPEAKER_1'] }, content: { name: 'Änne Müller' } },
  'voice.revoked': { data: { labels: ['SPEAKER_1'] } },
  'voice.measured': {
    data: { embedding_model: 'm', labels: ['SPEAKER_1'] },
    content: { voices: [voice] },
  },
  'transcript.punctuated': {
    data: { ...worker, parts: 1, kept: ['t-0001'] },
    content: { blocks: [block] },
  },
  'summary.fallback_used': { data: { stage: 'summarise', reason: 'no language model' } },
  'summary.completed': {
    data: { ...worker, parts: 1, language: 'de' },
    content: { text: 'Änne grüßt.' },
  },
  'title.chosen': { data: worker, content: { title: 'Grüße', abstract: 'Es wird gegrüßt.' } },
  'documents.named': {
    data: { local_start: '2026-11-20T10:00:00+01:00', ui_language: 'de', renderer: 1 },
    content: { base: '2026-11-20 Grüße', title: 'Grüße' },
  },
  'documents.saved': {
    data: {
      version: 1,
      renderer: 1,
      sha256: { index: 'a', transcript: 'b', summary: 'c' },
      kept: ['index'],
    },
    content: { paths: { index: 'i.md', transcript: 't.md', summary: 's.md' } },
  },
  'documents.rendered': {
    data: { version: 1, sha256: { index: 'a', transcript: 'b', summary: 'c' } },
  },
  'title.changed': { data: {}, content: { title: 'Grüße', previous: 'Gruß' } },
  'speakers.renamed': {
    data: { labels: ['SPEAKER_1'] },
    content: { names: { SPEAKER_1: 'Änne' }, voices: [voice] },
  },
  'people.given': { data: {}, content: { people: ['Änne', 'Ben'] } },
  'kind.changed': { data: { kind: 'meeting' } },
  'language.set': { data: { language: 'de' } },
  'start.changed': { data: { local_start: '2024-05-06T07:08:09+02:00' } },
  'recording.handed_over': { data: { owner: 'U2' } },
  'turn.edited': {
    data: { basis: 7, block: 't-0001', speaker: 'SPEAKER_1' },
    content: { text: 'Grüße aus Bonn.', words },
  },
  'turns.recut': {
    data: {
      basis: 7,
      replaced: ['t-0001'],
      by: [
        { id: 't-0001', speaker: 'SPEAKER_1', ...span },
        { id: 't-0002', speaker: 'SPEAKER_2', ...span },
      ],
    },
    content: {
      turns: [
        { text: 'Grüße', words },
        { text: 'aus Köln.', words: [] },
      ],
      name: 'Cem',
    },
  },
  'document.edited': {
    data: { document: 'summary', own: true, replaces: 'c' },
    content: { markdown: '# Grüße' },
  },
  'audio.interrupted': {
    data: {
      at: 2.5,
      from: '2026-01-02T14:03:00+01:00',
      to: '2026-01-02T14:07:00+01:00',
      reason: 'call',
    },
  },
  'sidenote.written': {
    data: { note: 1, at: 2.5, block: 't-0001', mark: true },
    content: { text: 'Ask Änne about Köln.' },
  },
  'sidenote.edited': { data: { note: 1 }, content: { text: 'Ask Änne about Bonn.' } },
  'sidenote.removed': { data: { note: 1 } },
  'recording.filed': { data: { folder: 'F1' } },
  'access.granted': { data: { to: 'u-U2', role: 'correct', audio: true } },
  'access.withdrawn': { data: { to: 'u-U2' } },
  'link.created': {
    data: {
      link: 'L1',
      sha256: 'd',
      expires_at: '2026-12-31T00:00:00.000Z',
      audio: true,
      live: false,
      password: true,
    },
    content: { name: 'Änne’s choir', password_hash: '$argon2id$Köln' },
  },
  'link.revoked': { data: { link: 'L1' } },
  'hold.placed': { data: { until: '2027-03-01T00:00:00Z' }, content: { reason: 'Köln wants it.' } },
  'hold.lifted': { data: {} },
  'tags.changed': { data: { tags: ['T1', 'T2'] } },
  'template.chosen': { data: { template: 'V1', rule: 'R1' } },
  'documents.outdated': { data: {} },
  'summary.edited': {
    data: { basis: 3, turns: null, edits: [{ line: '3-1', did: 'changed' }] },
    content: { lines: [{ ...line, id: '3-1', by: 'U1', at: 1.5 }], abstract: 'Köln, in short.' },
  },
  'task.checked': {
    data: { basis: 3, turns: null, line: '3-1', done: true },
    content: { lines: [{ ...line, id: '3-1', done: true }] },
  },
  'corrections.carried_over': {
    data: { placed: 1, unplaced: 1, labels: [] },
    content: {
      blocks: [block],
      unplaced: [{ ...span, before: 'Köln', after: 'Bonn' }],
      names: { SPEAKER_1: 'Änne' },
    },
  },
  'documents.deleted': { data: { documents: ['summary'] } },
  'version.restored': {
    data: {
      version: 1,
      material: {
        kind: 'solo',
        results: { plan: 2, turns: null },
        labels: [],
        stretches: 1,
        utterances: 1,
      },
      speakers: [],
      language: 'de',
    },
    content: { blocks: [block], title: 'Grüße', abstract: '', summary: '', names: {} },
  },
  'processing.cancelled': { data: {} },
  'error.cleared': { data: {} },
  'retry.requested': { data: {} },
  'reprocessing.requested': { data: { from: 'speech-to-text', language: null, model: 'small' } },
  'recording.erased': { data: {} },
  'user.registered': {
    data: { user_id: 'U1', is_admin: true },
    content: { username: 'änne', password_hash: '$argon2id$…' },
  },
  'user.password_changed': {
    data: { user_id: 'U1', reason: 'changed' },
    content: { password_hash: '$argon2id$…' },
  },
  'user.password_set': { data: { user_id: 'U1' } },
  'user.invited': {
    data: {
      user_id: 'U2',
      is_admin: false,
      sha256: 'ab12',
      expires_at: '2026-11-28T00:00:00.000Z',
    },
    content: { note: 'Ben from the library', token: 'xyz' },
  },
  'user.invitation_withdrawn': { data: { user_id: 'U2' } },
  'user.password_link_made': {
    data: { user_id: 'U1', sha256: 'cd34', expires_at: '2026-11-28T00:00:00.000Z' },
    content: { token: 'xyz' },
  },
  'user.password_link_withdrawn': { data: { user_id: 'U1' } },
  'user.admin_granted': { data: { user_id: 'U1' } },
  'user.admin_revoked': { data: { user_id: 'U1' } },
  'user.disabled': { data: { user_id: 'U1' } },
  'user.enabled': { data: { user_id: 'U1' } },
  'user.totp_enabled': {
    data: { user_id: 'U1' },
    content: { secret: 'JBSWY3DPEHPK3PXP', recovery: ['aa'] },
  },
  'user.totp_disabled': { data: { user_id: 'U1', reason: 'self' } },
  'user.identity_linked': {
    data: { user_id: 'U1' },
    content: { issuer: 'https://login.example.org', subject: '248289761001', name: 'ada.berg' },
  },
  'user.identity_unlinked': { data: { user_id: 'U1' } },
  'user.recovery_code_used': { data: { user_id: 'U1', index: 0 } },
  'user.vault_set': { data: { user_id: 'U1' }, content: { folder: '/home/ada/Vault' } },
  'user.deleted': { data: { user_id: 'U1' } },
  'group.created': {
    data: { group_id: 'G1' },
    content: { name: 'Reading room', claim: 'readers' },
  },
  'group.renamed': { data: { group_id: 'G1' }, content: { name: 'Readers' } },
  'group.member_added': { data: { group_id: 'G1', user_id: 'U1' } },
  'group.member_removed': { data: { group_id: 'G1', user_id: 'U1' } },
  'group.deleted': { data: { group_id: 'G1' } },
  'config.key_set': { data: { key: 'stt.base_url', value: 'http://127.0.0.1:8080' } },
  'config.secret_set': { data: { key: 'llm.api_key', fingerprint: 'ab12' } },
  'config.key_reset': { data: { key: 'stt.base_url' } },
  'rule.saved': {
    data: { rule: 'U1', enabled: true },
    content: { when: { said: 'Köln' }, then: { folder: 'F1', tags: ['T1'] } },
  },
  'rule.deleted': { data: { rule: 'U1' } },
  'retention.set': { data: { audio_days: 365, notes_days: null } },
  'retention.confirmed': { data: { before: '2026-11-27T09:00:00.000Z' } },
  'template.saved': {
    data: { template: 'V1', revision: 1 },
    content: {
      name: 'Vorstand',
      sections: [{ title: 'Beschlüsse', about: 'was beschlossen wurde', kind: 'decision' }],
      instructions: 'Kurze Sätze.',
      language: 'de',
      length: 'short',
    },
  },
  'template.deleted': { data: { template: 'V1' } },
  'word.saved': {
    data: { word: 'W1', folder: 'F1' },
    content: { write: 'Mitschrift', heard: ['mit Schrift'] },
  },
  'word.deleted': { data: { word: 'W1' } },
  'rules.ordered': { data: { rules: ['U2', 'U1'] } },
  'folder.created': { data: { folder: 'F1' }, content: { name: 'Gemeinde' } },
  'folder.configured': { data: { folder: 'F1', kind: 'meeting', language: 'de' } },
  'folder.renamed': { data: { folder: 'F1' }, content: { name: 'Köln' } },
  'folder.shared': { data: { folder: 'F1', to: 'g-G1', role: 'read', audio: false } },
  'folder.unshared': { data: { folder: 'F1', to: 'g-G1' } },
  'folder.deleted': { data: { folder: 'F1' } },
  'tag.created': { data: { tag: 'T1', colour: 1 }, content: { name: 'Köln' } },
  'tag.renamed': { data: { tag: 'T1', colour: 2 }, content: { name: 'Budget' } },
  'tag.deleted': { data: { tag: 'T1' } },
};

/** A fact of a type, ready to be appended. `subject` is whose key its content gets. */
export function sampleFact(
  type: FactType,
  subject = 'R1',
  command = `command-${type}`,
): OfferedFact {
  return { type, by: 'U1', command, subject, ...samples[type] } as OfferedFact;
}

/** A small fact without content. */
export const plainFact = (command: string): OfferedFact =>
  sampleFact('recording.paused', 'R1', command);
