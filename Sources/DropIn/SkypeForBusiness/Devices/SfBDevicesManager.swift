import Foundation
import Parley

/// The cameras and the speaker of this machine.
///
/// Test devices are chosen by the process's environment, since no app can name what the SDK did not have. With
/// `PARLEY_TEST_DEVICES=1` there are two cameras with a moving test video, a microphone that gives a tone, and a
/// speaker that stays silent. `PARLEY_SPEAKER_FILE` names a WAVE file (`.wav`) that gets what would be heard; it is
/// rewritten for each meeting.
@preconcurrency @MainActor open class SfBDevicesManager: SfBObject, SfBKeyValueObservable {
  /// The output of audio.
  open private(set) var selectedSpeaker = SfBSpeaker()

  /// The cameras. They are looked for when this is first read, which takes a second; observe it to hear of them.
  open var cameras: [SfBCamera] {
    if usesTestDevices { return testCameras }
    lookForCameras()
    return found
  }

  /// Whether there are test devices instead of the machine's: `PARLEY_TEST_DEVICES`.
  @SfBObserved var usesTestDevices = false
  /// With test devices, the WAVE file that gets what would be heard: `PARLEY_SPEAKER_FILE`. Without one the audio is
  /// discarded.
  var testSpeakerFile: String?
  /// The output with test devices and no file.
  var testSpeaker: any AudioSink = NullSink()
  /// The input with test devices.
  var testMicrophone: () -> any AudioSource = { ToneSource(frequency: 550) }

  override class var keys: [ObservableKey] {
    [
      .array("cameras", \SfBDevicesManager.cameras), .value("selectedSpeaker", \SfBDevicesManager.selectedSpeaker),
    ]
  }

  @SfBObserved private var found: [SfBCamera] = []
  private var hasLooked = false
  private lazy var testCameras = [
    SfBCamera(.frontFacing, "Test picture (front)") { TestPictureSource(.waves, sourceID: 1) },
    SfBCamera(.backFacing, "Test picture (back)") { TestPictureSource(.face, sourceID: 2) },
  ]

  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    super.init(internal: ())
    usesTestDevices = !["", "0", "no", "false"].contains(environment["PARLEY_TEST_DEVICES", default: ""].lowercased())
    testSpeakerFile = environment["PARLEY_SPEAKER_FILE"]
  }

  private func lookForCameras() {
    guard !hasLooked else { return }
    hasLooked = true
    Task { [weak self] in
      let devices = await Task.detached { (try? MediaDevices.cameras()) ?? [] }.value
      self?.found = devices.map { device in SfBCamera(.external, device.name) { CameraSource(device) } }
    }
  }

  /// The camera to begin with: whoever asks before the machine's are known gets the system's first.
  var firstCamera: SfBCamera { cameras.first ?? SfBCamera(.unknown, "Camera") { CameraSource() } }

  func microphone() -> any AudioSource {
    usesTestDevices ? testMicrophone() : DeferredAudioSource(MicrophoneSource())
  }

  /// Opens the speaker, which takes a moment.
  func openSpeaker() async throws -> any AudioSink {
    if usesTestDevices {
      guard let testSpeakerFile else { return testSpeaker }
      return try FileSink(testSpeakerFile, tracks: .audio).audio
    }
    return try await Task.detached { try SpeakerSink() as any AudioSink }.value
  }
}

/// The output of audio.
@preconcurrency @MainActor open class SfBSpeaker: SfBObject, SfBKeyValueObservable {
  /// The loudspeaker or the earpiece. A computer has one output, which the system chooses: the switch is kept and
  /// observed, and the output stays the same.
  @SfBObserved open var activeEndpoint = SfBSpeakerEndpoint.loudspeaker

  override class var keys: [ObservableKey] { [.value("activeEndpoint", \SfBSpeaker.activeEndpoint)] }

  init() { super.init(internal: ()) }
}

@preconcurrency @MainActor open class SfBCamera: SfBObject, SfBKeyValueObservable {
  /// The direction in which it looks.
  open private(set) var type: SfBCameraType
  /// The name for people.
  open override nonisolated var description: String { name }

  override class var keys: [ObservableKey] {
    [.value("type", \SfBCamera.type), .value("description", \SfBCamera.description)]
  }

  private nonisolated let name: String
  let makeSource: @MainActor () -> any VideoSource

  init(_ type: SfBCameraType, _ name: String, makeSource: @escaping @MainActor () -> any VideoSource) {
    self.type = type
    self.name = name
    self.makeSource = makeSource
    super.init(internal: ())
  }
}
