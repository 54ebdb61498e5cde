import Parley

/// A bot's lines on standard output, each written at once. A bot continues when nobody reads it.
///
///     BotOutput.say("Echoing in \(url).")
public enum BotOutput {
  private static let queue = OutputQueue(descriptor: 1) { "(\($0) lines were not read in time)\n" }

  /// Says a line; never waits for the reader.
  public static func say(_ line: String) { queue.enqueue(line + "\n") }

  /// Waits until all is written, as long as somebody reads it.
  static func drain() { queue.drain() }
}
