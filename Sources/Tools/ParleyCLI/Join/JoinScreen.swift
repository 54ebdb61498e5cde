import Basics
import Glibc
import Parley

/// A meeting on a terminal, redrawn twice a second and after each event: participants, levels, bitrates, loss, and a
/// line to chat.
@MainActor final class JoinScreen: JoinObserver {
  nonisolated let interval: UInt64 = 500_000_000
  private let meeting: Meeting
  private let leaveTask: LeaveTask
  private var rates = RateMeter()
  private var recognitions = RecognitionReport()
  private var table: [ScreenRow] = []
  private var totals = ""
  private var notes: [String] = []
  private var line = LineEditor()
  private let start = MonotonicClock.now
  private var isOpen = true
  private var saved = termios()

  init(_ meeting: Meeting, _ leaveTask: LeaveTask) {
    self.meeting = meeting
    self.leaveTask = leaveTask
    tcgetattr(0, &saved)
    var raw = saved
    // Keys come one by one and are drawn by us; signals keep working.
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(0, TCSANOW, &raw)
    write("\u{1B}[?1049h\u{1B}[?25l")
    CommandLineText.setListener { [weak self] text in Task { @MainActor in self?.problem(text) } }
    draw()
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    CommandLineText.setListener(nil)
    write("\u{1B}[?25h\u{1B}[?1049l")
    tcsetattr(0, TCSANOW, &saved)
  }

  func take(_ event: MeetingEvent) {
    switch event {
    case .waiting(let reason): note(JoinReport.words(waiting: reason))
    case .knocked(let somebody): note("\(somebody.name) wants to join: type /admit to let everybody in who waits")
    case .lockChanged(let isLocked): note(isLocked ? "the meeting is locked" : "the meeting is unlocked")
    case .participantJoined(let participant):
      note("\(participant.name) is here")
      if let words = recognitions.words(of: participant) { note(words) }
    case .participantUpdated(let participant):
      if let words = recognitions.words(of: participant) { note(words) }
    case .participantLeft(let participant, let reason):
      note("\(participant.name) left\(reason == .left ? "" : " (\(reason.rawValue))")")
    case .muteChanged(let publication): note(JoinReport.words(muted: publication))
    case .chat(let message, _): note(ChatReport.words(message))
    case .chatting(let event): if let words = ChatReport(event).words { note(words) }
    case .chatFailed(let message, let error): note("not delivered: \(message.text) (\(error))")
    case .data(let message): note("data from \(message.sender?.name ?? message.senderID): \(message.bytes.count) bytes")
    case .signal(let signal): note("signal \(signal.type) from \(signal.sender?.name ?? "the server"): \(signal.data)")
    case .reconnecting(let step): note("connection lost (\(step.rawValue)), trying again")
    case .reconnected: note("connected again")
    case .paused(let subscription): note(JoinReport.words(paused: subscription))
    case .undecodable(let publication): note(JoinReport.words(undecodable: publication))
    case .undecodableFor(let publication):
      if let words = JoinReport.words(undecodableFor: publication) { note(words) }
    case .sourceEnded(let publication, let error): note(JoinReport.words(ended: publication, error))
    case .tokenExpiring(in: let time, leaves: true): note(JoinReport.words(tokenEnding: time))
    case .room(let event): if let words = RoomReport(event, meeting).words { note(words) }
    case .encryptionChanged(let encryption): note(JoinReport.words(encryption, in: meeting))
    case .problem(let text): note(text)
    default: break
    }
    draw()
  }

  func problem(_ text: String) {
    note(text)
    draw()
  }

  /// Keys from standard input.
  func type(_ bytes: [UInt8]) {
    for text in line.add(bytes) {
      if text == "/leave" || text == "/quit" {
        leaveTask.leave()
      } else if ["/admit", "/lock", "/unlock"].contains(text) {
        host(text)
      } else if text.contains(where: { !$0.isWhitespace }) {
        do throws(JoinError) { try meeting.send(chat: text) } catch { note("\(error)") }
      }
    }
    draw()
  }

  /// Does what hosts do about the lobby; what comes of it is shown when it is known.
  private func host(_ command: String) {
    Task { [weak self, meeting] in
      do throws(JoinError) {
        switch command {
        case "/admit": try await meeting.admitAll()
        case "/lock": try await meeting.lock()
        default: try await meeting.unlock()
        }
      } catch { self?.problem("\(error)") }
    }
  }

  func tick() async {
    guard isOpen else { return }
    if let statistics = await meeting.statistics() {
      table = rates.rows(statistics, meeting)
      totals = rates.totals(statistics)
    }
    draw()
  }

  private func note(_ text: String) {
    notes.append(CommandLineText.printable(text))
    if notes.count > 200 { notes.removeFirst() }
  }

  // MARK: Drawing

  private var size: (columns: Int, rows: Int) {
    var window = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else { return (80, 24) }
    return (Int(window.ws_col), Int(window.ws_row))
  }

  private func draw() {
    guard isOpen else { return }
    let (columns, rows) = size
    var lines: [String] = []
    let elapsed = Int((MonotonicClock.now - start).seconds)
    let clock = "\(elapsed / 60):" + (elapsed % 60 < 10 ? "0" : "") + "\(elapsed % 60)"
    let title = CommandLineText.printable(meeting.info?.subject ?? "Parley")
    lines.append(
      "\u{1B}[1m\(fit(" \(title)", columns - 22))\u{1B}[0m" + " " + fit("\(meeting.state.rawValue)  \(clock)", 20))
    lines.append(fit(" \(totals)", columns))
    if let code = meeting.encryption.groupedSafetyCode {
      let state = meeting.encryption.state == .encrypted ? "end-to-end encrypted" : "waiting for keys"
      lines.append(fit(" \(state)  ·  safety code \(code)", columns))
    }
    lines.append("")
    let room = max(rows - 8, 1)
    let people = people()
    let (shown, hidden) = ScreenRow.shown(of: people.count, room: max(room * 2 / 3, 1)) { people[$0].level > 0 }
    for index in shown { lines.append(people[index].text(columns)) }
    if hidden > 0 { lines.append(fit(" … and \(hidden) more", columns)) }
    if meeting.participants.isEmpty { lines.append(fit(" Nobody else is here yet.", columns)) }
    lines.append("")
    let free = max(rows - lines.count - 2, 0)
    for text in notes.suffix(free) { lines.append(fit(" \(text)", columns)) }
    while lines.count < rows - 2 { lines.append("") }
    lines.append(String(repeating: "─", count: columns))
    let typed = line.text
    var visible = typed[...]
    while ScreenRow.columns(String(visible)) > max(columns - 5, 1) { visible.removeFirst() }
    let hint = fit("type to chat, /leave to leave", columns - 3)
    lines.append(typed.isEmpty ? " > \u{1B}[2m\(hint)\u{1B}[0m" : " > \(visible)\u{1B}[7m \u{1B}[0m")
    write("\u{1B}[H" + lines.prefix(rows).map { $0 + "\u{1B}[K" }.joined(separator: "\r\n"))
  }

  private func people() -> [ScreenRow] {
    var rows = [row(meeting.local, "\(meeting.local.name) (you)")]
    for participant in meeting.participants { rows.append(row(participant, participant.name)) }
    return rows
  }

  private func row(_ participant: any Participant, _ name: String) -> ScreenRow {
    var row = table.first { $0.participant == participant.id } ?? ScreenRow(participant: participant.id)
    row.name = CommandLineText.printable(name)
    row.level = participant.audioLevel
    row.quality = participant.quality
    return row
  }

  private func fit(_ text: String, _ width: Int) -> String { ScreenRow.fit(text, width) }

  private func write(_ text: String) { CommandLineText.say(text) }
}
