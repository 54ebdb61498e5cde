/// The settings for every meeting of the app.
@preconcurrency @MainActor open class SfBConfigurationManager: SfBObject, SfBKeyValueObservable {
  /// Most videos of others that are watched at a time: beyond it only who spoke last can be subscribed to.
  @SfBObserved open var maxVideoChannels: UInt32 = 4 {
    didSet { channelsChanged() }
  }
  /// Whether audio needs a network that is not a mobile one.
  @SfBObserved open var requireWifiForAudio = false
  /// Whether video needs a network that is not a mobile one.
  @SfBObserved open var requireWifiForVideo = true
  /// Accepted and without effect: nothing here is a preview.
  @SfBObserved open var enablePreviewFeatures = false

  override class var keys: [ObservableKey] {
    [
      .value("maxVideoChannels", \SfBConfigurationManager.maxVideoChannels),
      .value("requireWifiForAudio", \SfBConfigurationManager.requireWifiForAudio),
      .value("requireWifiForVideo", \SfBConfigurationManager.requireWifiForVideo),
      .value("enablePreviewFeatures", \SfBConfigurationManager.enablePreviewFeatures),
    ]
  }

  /// Called when ``maxVideoChannels`` is set.
  var channelsChanged: () -> Void = {}
  @SfBObserved private(set) var isVideoLicenseAccepted = false

  init() { super.init(internal: ()) }

  /// Says that whoever uses the app has accepted the terms of video. The SDK does not remember it: call it at every
  /// start of the app. Without it every call that has to do with video fails with ``SfBError/videoLicenseNotAccepted``.
  open func setEndUserAcceptedVideoLicense() { isVideoLicenseAccepted = true }

  func checkVideoLicense() throws {
    guard isVideoLicenseAccepted else {
      throw SfBError.videoLicenseNotAccepted.because(
        "Video was asked for before setEndUserAcceptedVideoLicense() was called. Show the terms first.")
    }
  }
}
