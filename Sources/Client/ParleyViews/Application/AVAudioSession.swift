#if !canImport(UIKit) || os(Linux)
public import Foundation
import Synchronization

/// The audio session of an app on a phone, which shares the machine's audio with other apps. A desktop's audio
/// server does that by itself: the app's settings are kept, so that it reads what it wrote, and change nothing. The
/// desktop's own settings choose the output. No call here throws. Its notifications are never posted, since nothing
/// interrupts a call here.
public final class AVAudioSession: Sendable {
  /// The purpose of audio.
  public struct Category: RawRepresentable, Hashable, Sendable {
    /// The category's name, as Apple's systems have it.
    public let rawValue: String
    /// A category by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Audio that may be missing, mixed with that of others.
    public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
    /// Audio that may be missing, without that of others.
    public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
    /// Audio that is the app's main purpose.
    public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
    /// The microphone alone, without playback.
    public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
    /// Both, as in a call.
    public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
  }

  /// The character of a category's audio.
  public struct Mode: RawRepresentable, Hashable, Sendable {
    /// The mode's name, as Apple's systems have it.
    public let rawValue: String
    /// A mode by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
    public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
    /// A call with video.
    public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
    public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
  }

  /// How a category behaves.
  public struct CategoryOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Options by their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Others are heard, too.
    public static let mixWithOthers = CategoryOptions(rawValue: 1)
    /// Others are heard less.
    public static let duckOthers = CategoryOptions(rawValue: 2)
    /// Headsets for calls may be used.
    public static let allowBluetooth = CategoryOptions(rawValue: 4)
    /// The loudspeaker, where nothing is plugged in.
    public static let defaultToSpeaker = CategoryOptions(rawValue: 8)
    /// Headphones may be used.
    public static let allowBluetoothA2DP = CategoryOptions(rawValue: 32)
  }

  /// An output that overrides the route.
  public enum PortOverride: UInt, Hashable, Sendable {
    /// The route is not overridden.
    case none = 0
    case speaker = 0x7370_6B72
  }

  /// Options at the end of a session.
  public struct SetActiveOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Options by their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// They may go on.
    public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
  }

  /// Whether an interruption begins or is over.
  public enum InterruptionType: UInt, Hashable, Sendable {
    case ended = 0
    case began = 1
  }

  /// Why the route changed.
  public enum RouteChangeReason: UInt, Hashable, Sendable {
    case unknown = 0
    /// Something was plugged in.
    case newDeviceAvailable = 1
    /// Something was taken out.
    case oldDeviceUnavailable = 2
    /// The category is another one.
    case categoryChange = 3
    /// The app asked for it.
    case override = 4
    /// The same route has other settings.
    case routeConfigurationChange = 8
  }

  private struct State {
    var category = Category.soloAmbient
    var mode = Mode.default
    var options: CategoryOptions = []
    var rate = 48_000.0
    var buffer = 0.01
  }

  private static let shared = AVAudioSession()
  private let state = Mutex(State())

  private init() {}

  public static func sharedInstance() -> AVAudioSession { shared }

  /// The category that was set last.
  public var category: Category { state.withLock { $0.category } }
  /// The mode that was set last.
  public var mode: Mode { state.withLock { $0.mode } }
  /// The options that were set last.
  public var categoryOptions: CategoryOptions { state.withLock { $0.options } }
  /// The rate that was set last, in hertz; calls here have 48,000.
  public var preferredSampleRate: Double { state.withLock { $0.rate } }
  /// The buffer that was set last, in seconds.
  public var preferredIOBufferDuration: TimeInterval { state.withLock { $0.buffer } }
  /// How many samples a second has.
  public var sampleRate: Double { 48_000 }

  /// Keeps the category; without effect on the desktop's audio.
  public func setCategory(_ category: Category, mode: Mode = .default, options: CategoryOptions = []) throws {
    state.withLock { ($0.category, $0.mode, $0.options) = (category, mode, options) }
  }
  /// Keeps what it is like.
  public func setMode(_ mode: Mode) throws { state.withLock { $0.mode = mode } }
  /// Does nothing: audio begins and ends with the call.
  public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {}
  /// Keeps the rate, without effect.
  public func setPreferredSampleRate(_ sampleRate: Double) throws { state.withLock { $0.rate = sampleRate } }
  /// Keeps the buffer, without effect.
  public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
    state.withLock { $0.buffer = duration }
  }
  /// Does nothing: the desktop's settings choose the output.
  public func overrideOutputAudioPort(_ portOverride: PortOverride) throws {}
  /// Says that the microphone may be used, on the main queue. A desktop does not ask.
  public func requestRecordPermission(_ response: @escaping @Sendable (Bool) -> Void) {
    DispatchQueue.main.async { response(true) }
  }

  /// Never posted: nothing interrupts a call here.
  public static let interruptionNotification = Notification.Name("AVAudioSessionInterruptionNotification")
  /// Never posted: calls follow the desktop's settings by themselves.
  public static let routeChangeNotification = Notification.Name("AVAudioSessionRouteChangeNotification")
  /// Never posted: the desktop's audio server comes back by itself.
  public static let mediaServicesWereResetNotification = Notification.Name(
    "AVAudioSessionMediaServicesWereResetNotification")
}

/// In an interruption's `userInfo`: an ``AVAudioSession/InterruptionType``.
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"
/// In a change's `userInfo`: an ``AVAudioSession/RouteChangeReason``.
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"
#endif
