import FoundationEssentials
import Parley

/// The files of `parley join --record`: each received track in a file of its own, named after its sender and its
/// source.
@MainActor final class MeetingRecording {
  private let directory: String
  private let isRaw: Bool
  private var files: [TrackFile] = []
  private var paths: Set<String> = []
  /// Called as soon as a file can't be written, or not any further.
  var onProblem: (String) -> Void = { _ in }

  /// A recording into a directory, which is made when it is not there.
  init(directory: String, isRaw: Bool) throws(MediaError) {
    self.directory = directory
    self.isRaw = isRaw
    do {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    } catch { throw .cannotWrite(directory, reason: "the directory could not be made.") }
  }

  /// Records a track from now on.
  func add(_ subscription: Subscription) {
    let ending = isRaw ? (subscription.publication.kind == .video ? "y4m" : "wav") : "webm"
    let path = freePath(name(subscription), ending)
    let file = TrackFile(path: path, kind: subscription.publication.kind, isRaw: isRaw) { [weak self] error in
      Task { @MainActor in self?.onProblem("The recording stops: \(error)") }
    }
    files.append(file)
    switch subscription.track {
    case .video(let track): track.add(file)
    case .audio(let track): track.add(file)
    }
  }

  /// Completes every file; returns whether all of them could be written.
  func finish() -> Bool {
    var isWhole = isRaw ? writeStarts() : true
    for file in files {
      do throws(MediaError) { try file.finish() } catch {
        isWhole = false
        CommandLineText.complain("The recording \(file.path) is not whole: \(error)")
      }
    }
    files = []
    return isWhole
  }

  /// Writes when each file's first frame is to be shown or heard, in seconds of one clock: raw files have no times of
  /// their own, and without a common one audio and video can't be aligned.
  private func writeStarts() -> Bool {
    var line: JSONLine = [:]
    for file in files {
      guard let start = file.start, let name = file.path.split(separator: "/").last else { continue }
      line.add(String(name), .number(Double(start.nanoseconds / 1_000) / 1e6))
    }
    let path = freePath("starts", "json")
    do { try Data((line.text + "\n").utf8).write(to: URL(filePath: path)) } catch {
      // Half of it, or nothing, would be taken for a list of no files.
      try? FileManager.default.removeItem(atPath: path)
      CommandLineText.complain("\(path) could not be written, so that it is not known when the other files begin.")
      return false
    }
    return true
  }

  /// A name that no path can be made of.
  private func name(_ subscription: Subscription) -> String {
    let person = subscription.participant.map(\.name) ?? "somebody"
    let safe = String(person.map { $0.isLetter || $0.isNumber ? $0 : "-" }.prefix(40))
    return "\(safe)-\(subscription.publication.source.rawValue)"
  }

  /// A path of the directory where nothing is yet: an earlier recording is not written over.
  private func freePath(_ name: String, _ ending: String) -> String {
    var path = "\(directory)/\(name).\(ending)"
    var number = 1
    while paths.contains(path) || FileManager.default.fileExists(atPath: path) {
      number += 1
      path = "\(directory)/\(name)-\(number).\(ending)"
    }
    paths.insert(path)
    return path
  }
}
