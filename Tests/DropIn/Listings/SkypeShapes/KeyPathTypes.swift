// Key paths with the exact types: an error that isn't an NSError, a setting of 32 bits, a speaker that may be nobody.
import SkypeForBusiness

enum KeyPathTypes {
  @MainActor static var paths: [AnyKeyPath] {
    let error: KeyPath<SfBAlert, Error> = \.error
    let speaker: KeyPath<SfBConversation, SfBParticipant?> = \.dominantSpeaker
    let channels: ReferenceWritableKeyPath<SfBConfigurationManager, UInt32> = \.maxVideoChannels
    return [error, speaker, channels]
  }
}
