import type { english } from './built-in-templates.ts';

export const german: typeof english = {
  names: {
    general: 'Allgemein',
    meeting: 'Besprechung',
    'one-on-one': 'Zweiergespräch',
    interview: 'Interview',
    lecture: 'Vortrag',
    diary: 'Tagebuch',
    dictation: 'Diktat',
    'medical-visit': 'Arztbesuch',
  },
  sections: {
    decisions: { title: 'Entscheidungen', about: 'was entschieden wurde' },
    tasks: { title: 'Aufgaben', about: 'was jemand tun soll, bis wann' },
    open: { title: 'Offene Fragen', about: 'was offen geblieben ist' },
    points: {
      title: 'Wichtigste Punkte',
      about: 'was sonst gesagt wurde: Themen, Argumente, Ergebnisse',
    },
    topics: { title: 'Themen', about: 'worüber gesprochen wurde, mit Argumenten und Ergebnissen' },
    'since-last': {
      title: 'Seit dem letzten Mal',
      about: 'was erledigt wurde, was gut läuft, was schwierig ist',
    },
    feedback: { title: 'Rückmeldungen', about: 'Lob, Kritik und Wünsche von beiden Seiten' },
    agreements: { title: 'Vereinbarungen', about: 'was beide vereinbart haben' },
    'next-time': {
      title: 'Für das nächste Mal',
      about: 'was offen geblieben ist oder wieder aufgegriffen werden soll',
    },
    person: { title: 'Zur Person', about: 'wer befragt wird, Hintergrund, Erfahrung' },
    answers: { title: 'Fragen und Antworten', about: 'was gefragt und was geantwortet wurde' },
    quotable: { title: 'Aussagen', about: 'wofür die befragte Person steht, was sie behauptet' },
    thesis: { title: 'In Kürze', about: 'worum es im Vortrag geht und was er behauptet' },
    'main-ideas': { title: 'Kerngedanken', about: 'Gedanken und Argumente in ihrer Reihenfolge' },
    examples: { title: 'Beispiele', about: 'Beispiele, Zahlen und Fälle, die genannt wurden' },
    terms: { title: 'Begriffe', about: 'Begriffe, die erklärt wurden, je mit ihrer Erklärung' },
    day: { title: 'Der Tag', about: 'was geschehen ist, wo und mit wem' },
    thoughts: { title: 'Gedanken', about: 'Gedanken und Gefühle' },
    plans: { title: 'Vorhaben', about: 'was geplant ist oder erledigt werden soll' },
    dictated: { title: 'Diktiertes', about: 'alles, was diktiert wurde, in seiner Reihenfolge' },
    complaints: {
      title: 'Beschwerden',
      about: 'was die Patientin oder der Patient berichtet: Beschwerden, seit wann',
    },
    findings: { title: 'Befunde', about: 'was untersucht oder gemessen wurde, mit Ergebnissen' },
    diagnosis: { title: 'Einschätzung', about: 'Diagnose oder Verdacht, wie es gesagt wurde' },
    treatment: {
      title: 'Behandlung',
      about: 'was entschieden wurde: Medikamente mit Dosis, Therapie',
    },
    steps: {
      title: 'Nächste Schritte',
      about: 'Termine, Überweisungen, was die Patientin oder der Patient tun soll',
    },
  },
};
