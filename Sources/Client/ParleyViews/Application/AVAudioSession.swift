#if !canImport(UIKit) || os(Linux)
public import Foundation
import Synchronization

/// How an app on a phone shares the sound of the machine with others. On a desktop the sound system does that by itself: what an app sets is kept, so
/// that it reads what it wrote, and changes nothing; the desktop's own settings say where sound goes. No call here throws. Its notifications are never
/// posted, since nothing interrupts a call here.
public final class AVAudioSession: Sendable {
  /// What sound is for.
  public struct Category: RawRepresentable, Hashable, Sendable {
    /// The category's name, as Apple's systems have it.
    public let rawValue: String
    /// A category by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Sound that may be missing, beside that of others.
    public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
    /// Sound that may be missing, without that of others.
    public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
    /// Sound that is what the app is for.
    public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
    /// The microphone alone.
    public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
    /// Both, as in a call.
    public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
  }

  /// What the sound of a category is like.
  public struct Mode: RawRepresentable, Hashable, Sendable {
    /// The mode's name, as Apple's systems have it.
    public let rawValue: String
    /// A mode by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Nothing special.
    public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
    /// A call.
    public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
    /// A call with pictures.
    public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
    /// A film.
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

  /// Where sound is to go instead.
  public enum PortOverride: UInt, Hashable, Sendable {
    /// Where it goes by itself.
    case none = 0
    /// The loudspeaker.
    case speaker = 0x7370_6B72
  }

  /// What is told to others when it ends.
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
    /// It is over.
    case ended = 0
    /// It begins.
    case began = 1
  }

  /// Why sound goes elsewhere.
  public enum RouteChangeReason: UInt, Hashable, Sendable {
    /// Nobody knows.
    case unknown = 0
    /// Something was plugged in.
    case newDeviceAvailable = 1
    /// Something was taken out.
    case oldDeviceUnavailable = 2
    /// The category is another one.
    case categoryChange = 3
    /// The app asked for it.
    case override = 4
    /// What goes there is set differently.
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

  /// The app's.
  public static func sharedInstance() -> AVAudioSession { shared }

  /// What was set as what sound is for.
  public var category: Category { state.withLock { $0.category } }
  /// What was set as what it is like.
  public var mode: Mode { state.withLock { $0.mode } }
  /// What was set as how it behaves.
  public var categoryOptions: CategoryOptions { state.withLock { $0.options } }
  /// What was set as how many samples a second has; calls here have 48,000.
  public var preferredSampleRate: Double { state.withLock { $0.rate } }
  /// What was set as how many seconds are handed over at once.
  public var preferredIOBufferDuration: TimeInterval { state.withLock { $0.buffer } }
  /// How many samples a second has.
  public var sampleRate: Double { 48_000 }

  /// Keeps what sound is for.
  public func setCategory(_ category: Category, mode: Mode = .default, options: CategoryOptions = []) throws {
    state.withLock { ($0.category, $0.mode, $0.options) = (category, mode, options) }
  }
  /// Keeps what it is like.
  public func setMode(_ mode: Mode) throws { state.withLock { $0.mode = mode } }
  /// Does nothing: sound begins and ends with the call.
  public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {}
  /// Keeps it.
  public func setPreferredSampleRate(_ sampleRate: Double) throws { state.withLock { $0.rate = sampleRate } }
  /// Keeps it.
  public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
    state.withLock { $0.buffer = duration }
  }
  /// Does nothing: the desktop's settings say where sound goes.
  public func overrideOutputAudioPort(_ portOverride: PortOverride) throws {}
  /// Says that the microphone may be used, on the main queue. A desktop does not ask.
  public func requestRecordPermission(_ response: @escaping @Sendable (Bool) -> Void) {
    DispatchQueue.main.async { response(true) }
  }

  /// Never posted: nothing interrupts a call here.
  public static let interruptionNotification = Notification.Name("AVAudioSessionInterruptionNotification")
  /// Never posted: calls follow the desktop's settings by themselves.
  public static let routeChangeNotification = Notification.Name("AVAudioSessionRouteChangeNotification")
  /// Never posted: the sound system comes back by itself.
  public static let mediaServicesWereResetNotification = Notification.Name(
    "AVAudioSessionMediaServicesWereResetNotification")
}

/// In an interruption's `userInfo`: an ``AVAudioSession/InterruptionType``.
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"
/// In a change's `userInfo`: an ``AVAudioSession/RouteChangeReason``.
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"
#endif
