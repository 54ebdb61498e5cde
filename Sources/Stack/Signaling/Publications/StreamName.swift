/// The id of what OpenTok calls a stream: somebody's camera and microphone, or somebody's screen with its audio.
///
/// It follows from the participant's id, so that the REST API, the browser's script and apps say the same without
/// asking each other.
public struct StreamName: Sendable, Hashable, CustomStringConvertible {
  /// The participant that the stream belongs to.
  public var participant: String
  /// Whether it is the screen.
  public var isScreen: Bool

  /// The stream of a participant that carries tracks of `source`.
  public init(participant: String, source: TrackSource) {
    self.participant = participant
    isScreen = source == .screen || source == .screenAudio
  }

  /// Takes an id apart; nil when it has another form. Whether there is such a stream is another question.
  public init?(_ text: some StringProtocol) {
    guard let dot = text.lastIndex(of: ".") else { return nil }
    switch text[dot...] {
    case ".camera": isScreen = false
    case ".screen": isScreen = true
    default: return nil
    }
    participant = String(text[..<dot])
  }

  /// The tracks that it carries.
  public var sources: Set<TrackSource> { isScreen ? [.screen, .screenAudio] : [.camera, .microphone] }

  /// The id: `p_….camera` or `p_….screen`.
  public var description: String { participant + (isScreen ? ".screen" : ".camera") }
}
