import Basics
import Glibc
import Parley

/// One run of `parley load`: join everybody, measure, leave.
@MainActor final class LoadRun {
  let url: String
  let publishers: Int
  let subscribers: Int
  let seconds: Double
  let bitrate: DataRate
  let sendsVideo: Bool
  /// Of an encrypted meeting that the address has no key of.
  let secret: LinkSecret?
  let slots: Int?
  let token: Secret<String>?
  let isJSON: Bool
  let isInsecure: Bool

  private var meetings: [Meeting] = []
  private var joinTimes: [Double] = []
  private var failures: [String] = []
  private var isStopped = false
  /// How long it took until everybody was in.
  private var joining = TimeSpan.zero

  init(
    url: String, publishers: Int, subscribers: Int, seconds: Double, bitrate: DataRate, sendsVideo: Bool,
    secret: LinkSecret? = nil, slots: Int?, token: Secret<String>?, isJSON: Bool, isInsecure: Bool
  ) {
    self.url = url
    self.publishers = publishers
    self.subscribers = subscribers
    self.seconds = seconds
    self.bitrate = bitrate
    self.sendsVideo = sendsVideo
    self.secret = secret
    self.slots = slots
    self.token = token
    self.isJSON = isJSON
    self.isInsecure = isInsecure
  }

  /// How many joins are under way at once: enough to be quick, few enough that none waits for its turn.
  private static let joinsAtOnce = 8

  func run(_ signals: AsyncStream<Int32>) async -> Int32 {
    let stop = Task { @MainActor in
      for await _ in signals { break }
      self.isStopped = true
    }
    defer { stop.cancel() }
    do {
      let media = try LoadMedia.make(bitrate: bitrate, video: sendsVideo)
      let start = MonotonicClock.now
      await joinAll(media)
      joining = MonotonicClock.now - start
    } catch {
      CommandLineText.complain("\(error)")
      return 1
    }
    var before = LoadTotals()
    if !meetings.isEmpty {
      await sleep(1)
      before = await LoadTotals.of(meetings)
      await measure(since: before)
    }
    let after = await LoadTotals.of(meetings)
    summarize(before, after)
    await withTaskGroup(of: Void.self) { group in
      for meeting in meetings { group.addTask { await meeting.leave() } }
    }
    return failures.isEmpty ? 0 : 1
  }

  private func joinAll(_ media: LoadMedia) async {
    let total = publishers + subscribers
    var next = 0
    await withTaskGroup(of: Void.self) { group in
      while next < total, !isStopped {
        if next >= Self.joinsAtOnce { await group.next() }
        let index = next
        next += 1
        group.addTask { await self.join(index, media) }
      }
    }
  }

  private func join(_ index: Int, _ media: LoadMedia) async {
    let isPublisher = index < publishers
    var options = JoinOptions(name: isPublisher ? "Publisher \(index + 1)" : "Subscriber \(index + 1 - publishers)")
    options.client = "parley-load"
    options.trustsAnyCertificate = isInsecure
    options.initialSlots = slots ?? min(max(publishers - (isPublisher ? 1 : 0), 1), 16)
    options.maximumSlots = slots
    options.linkSecret = secret
    options.codecs = [.opus, .vp8]
    do {
      let meeting = try Meeting(url, token: token, options: options)
      if isPublisher {
        if let video = media.video { try await meeting.local.publish(video, as: .camera) }
        try await meeting.local.publish(media.audio, as: .microphone)
      }
      try await meeting.join()
      meetings.append(meeting)
      if let time = meeting.times.milliseconds(\.connected) { joinTimes.append(time) }
    } catch { failures.append("\(error)") }
    progress(
      "joined \(meetings.count) of \(publishers + subscribers)" + (failures.isEmpty ? "" : ", \(failures.count) failed")
    )
  }

  private func measure(since before: LoadTotals) async {
    let start = MonotonicClock.now
    var last = before
    // Nobody reads on: there is nothing to measure for.
    while !isStopped, CommandLineText.outputProblem == nil {
      let left = seconds - (MonotonicClock.now - start).seconds
      guard left > 0.01 else { break }
      await sleep(min(2, left))
      let now = await LoadTotals.of(meetings)
      let rate = now.rate(since: last)
      last = now
      if isJSON {
        var line: JSONLine = ["event": "stats"]
        for (key, value) in rate.line.pairs { line.add(key, value) }
        line.print()
      } else {
        progress("measuring, \(Int(max(left - 2, 0))) s left: \(rate.words)")
      }
    }
  }

  private func summarize(_ before: LoadTotals, _ after: LoadTotals) {
    guard isJSON else { return tell(after.rate(since: before)) }
    var line: JSONLine = [
      "event": "summary", "joined": .integer(meetings.count), "failed": .integer(failures.count),
      "joinSeconds": .number(joining.seconds), "publishers": .integer(publishers), "subscribers": .integer(subscribers),
      "joinMilliseconds": .object([
        "p50": JSONLine.Value(Self.percentile(joinTimes, 0.5)), "p99": JSONLine.Value(Self.percentile(joinTimes, 0.99)),
      ]),
    ]
    for (key, value) in after.rate(since: before).line.pairs { line.add(key, value) }
    line.add("failures", .list(Array(Set(failures)).sorted().prefix(10).map { .text($0) }))
    line.print()
  }

  /// The summary for people, and why joins failed.
  private func tell(_ rate: LoadRate) {
    if isatty(2) == 1 { _ = CommandLineText.put("\r\u{1B}[K", to: 2) }
    for (reason, count) in Self.reasons(failures) {
      CommandLineText.complain("\(count) could not join: \(reason)")
    }
    var text = "\(meetings.count) of \(publishers + subscribers) joined"
    if let half = Self.percentile(joinTimes, 0.5), let most = Self.percentile(joinTimes, 0.99) {
      text += ", half of them within \(Int(half)) ms, 99 % within \(Int(most)) ms, all in "
      text += "\((joining.seconds * 10).rounded() / 10) s"
    }
    CommandLineText.say(text + "\n")
    if !meetings.isEmpty { CommandLineText.say("In \(Int(rate.seconds.rounded())) s: \(rate.words)\n") }
    if let limit = rate.ownLimit { CommandLineText.say(limit + "\n") }
  }

  /// Each distinct reason with how often it was given, the most frequent one first.
  static func reasons(_ failures: [String]) -> [(reason: String, count: Int)] {
    Dictionary(grouping: failures) { $0 }.map { ($0, $1.count) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
  }

  private func progress(_ text: String) {
    if isJSON { return }
    // The text is not the result, which is for standard output.
    let text = CommandLineText.printable(text)
    _ = CommandLineText.put(isatty(2) == 1 ? "\r\u{1B}[K\(text)" : "\(text)\n", to: 2)
  }

  private func sleep(_ seconds: Double) async {
    try? await Task.sleep(nanoseconds: UInt64(max(seconds, 0) * 1e9))
  }

  private static func percentile(_ values: [Double], _ part: Double) -> Double? {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return nil }
    return sorted[min(Int(Double(sorted.count) * part), sorted.count - 1)]
  }
}
