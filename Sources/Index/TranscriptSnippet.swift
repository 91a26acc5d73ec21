public import Domain

extension FTSIndex {
    public nonisolated func snippet(
        of hit: SearchHit, in transcript: [TranscriptSegment], for request: SearchRequest
    ) -> Snippet {
        SnippetMaker(request).snippet(of: transcript)
    }
}
