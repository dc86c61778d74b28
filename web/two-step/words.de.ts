import type { Translation } from '../words/i18n.ts';
import type { English } from './words.ts';

export default {
  setUpTitle: 'Anmeldung in zwei Schritten einrichten',
  scan: 'Öffnen Sie eine Authenticator-App auf Ihrem Telefon und scannen Sie dieses Bild.',
  qrCode: 'QR-Code für die Authenticator-App',
  openApp: 'App auf diesem Gerät öffnen',
  typeKey: 'Stattdessen den Schlüssel eintippen',
  digits: 'Geben Sie die 6 Ziffern ein, die die App zeigt',
  check: 'Prüfen und weiter',
  codesTitle: 'Bewahren Sie diese Wiederherstellungscodes auf',
  codesMeaning:
    'Die Anmeldung in zwei Schritten ist an. Wenn Ihr Telefon verloren geht, können Sie sich mit jedem dieser Codes einmal anmelden. Sie werden nur jetzt angezeigt.',
  renewedMeaning:
    'Die alten Codes gelten nicht mehr. Wenn Ihr Telefon verloren geht, können Sie sich mit jedem der neuen Codes einmal anmelden. Sie werden nur jetzt angezeigt.',
  saveCodes: 'Als Textdatei speichern',
  printCodes: 'Drucken',
  stored: 'Ich habe sie sicher aufbewahrt.',
  codesOf: 'Mitschrift: Wiederherstellungscodes von {user} auf {server}',
  codesFile: 'wiederherstellungscodes',
  codeTitle: 'Code eingeben',
  codeLabel: '6 Ziffern aus Ihrer Authenticator-App',
  recoveryLabel: 'Einer Ihrer Wiederherstellungscodes',
  recoveryHint:
    'Der Code ist danach verbraucht. Kein Code mehr da? Ein Administrator kann die Anmeldung in zwei Schritten für Sie ausschalten.',
  wrongCode:
    'Falscher Code. Jeder Code gilt einmal und 30 Sekunden lang; prüfen Sie die Uhr des Telefons.',
  wrongRecovery:
    'Dieser Wiederherstellungscode ist falsch oder schon verbraucht. Jeder Code gilt einmal.',
  codeOrRecovery: 'Code oder Wiederherstellungscode',
  useRecovery: 'Wiederherstellungscode verwenden',
  useApp: 'Stattdessen die App verwenden',
  back: 'Zurück zu Benutzername und Passwort',
  mustHint:
    'Dieser Server verlangt von Ihnen die Anmeldung in zwei Schritten. Das Einrichten dauert etwa zwei Minuten und braucht eine App auf Ihrem Telefon.',
} satisfies Translation<English>;
