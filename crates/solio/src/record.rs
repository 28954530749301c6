//! Recording a run, and what is made of it: a trace and a page.

use crate::write_bytes;
use solio_base::{Error, Result, Work};
use solio_measure::{Recorder, Recording, Summary, peak_rss_bytes, report_html, trace_json};
use std::path::PathBuf;

/// Which files a recording becomes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// A trace for Chrome or Perfetto.
    pub trace: Option<PathBuf>,
    /// A page of HTML that needs nothing else.
    pub report: Option<PathBuf>,
}

/// A recording under way; [`Recorded::finish`] writes its files.
pub struct Recorded {
    files: Record,
    recorder: Recorder,
}

impl Record {
    /// Whether any file is wanted.
    pub fn is_wanted(&self) -> bool {
        self.trace.is_some() || self.report.is_some()
    }

    /// Starts to record; `None` where no file is wanted.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let page = folder.path().join("run.html");
    /// use solio::{Record, Summary, Work};
    /// let record = Record { report: Some(page.clone()), ..Record::default() };
    /// let recorded = record.start()?;
    /// // … the work.
    /// if let Some(recorded) = recorded {
    ///     recorded.finish(Summary::default(), &Work::default())?;
    /// }
    /// assert!(page.exists());
    /// # Ok::<(), solio::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Argument` while another recording of this process is under way.
    pub fn start(&self) -> Result<Option<Recorded>> {
        if !self.is_wanted() {
            return Ok(None);
        }
        let Some(recorder) = Recorder::start() else {
            return Err(Error::argument("another run of this process is being recorded"));
        };
        Ok(Some(Recorded { files: self.clone(), recorder }))
    }
}

impl Recorded {
    /// Stops, and writes the files, each whole or not at all. Facts about the version and the
    /// machine are added to the summary, and the peak of memory.
    pub fn finish(self, mut summary: Summary, work: &Work) -> Result<Recording> {
        summary.peak_memory_bytes = summary.peak_memory_bytes.max(peak_rss_bytes());
        summary.facts.extend([
            ("solio".into(), env!("CARGO_PKG_VERSION").into()),
            ("threads".into(), work.threads.to_string()),
            ("CPU kernels".into(), solio_base::cpu::tier().name().into()),
        ]);
        let recording = self.recorder.finish(summary);
        if let Some(path) = &self.files.trace {
            write_bytes(path, trace_json(&recording).as_bytes())?;
        }
        if let Some(path) = &self.files.report {
            write_bytes(path, report_html(&recording).as_bytes())?;
        }
        Ok(recording)
    }
}
