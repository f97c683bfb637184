//! DataFusion with its own functions and with ours.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::compute::concat_batches;
use datafusion::common::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion_spark::SessionStateBuilderSpark;
use tokio::runtime::{Builder, Runtime};

/// An engine that runs statements one at a time.
pub(crate) struct Engine {
    context: SessionContext,
    runtime: Runtime,
}

impl Engine {
    /// With DataFusion's functions.
    pub(crate) fn plain() -> Self {
        Self::new(Self::builder())
    }

    /// With those of Spark, too.
    pub(crate) fn plain_spark() -> Self {
        Self::new(Self::builder().with_spark_features())
    }

    /// The configuration of DataFusion's own tests.
    fn builder() -> SessionStateBuilder {
        let config = SessionConfig::new().with_target_partitions(4);
        SessionStateBuilder::new().with_config(config).with_default_features()
    }

    fn new(builder: SessionStateBuilder) -> Self {
        let context = SessionContext::new_with_state(builder.build());
        Self { context, runtime: Builder::new_multi_thread().worker_threads(2).build().unwrap() }
    }

    /// With ours in the place of all of these.
    pub(crate) fn replaced(mut self) -> Self {
        datafusion_hashlanes::register_all(&mut self.context).unwrap();
        datafusion_hashlanes::spark::register_all(&mut self.context).unwrap();
        self
    }

    /// With a table `t` that has a column `x`.
    pub(crate) fn with_table(self, column: &ArrayRef) -> Self {
        let batch = RecordBatch::try_from_iter_with_nullable([("x", column.clone(), true)]);
        self.context.register_batch("t", batch.unwrap()).unwrap();
        self
    }

    /// The result of a statement, in one batch.
    pub(crate) fn sql(&self, statement: &str) -> Result<RecordBatch> {
        self.runtime.block_on(async {
            let frame = self.context.sql(statement).await?;
            let schema = Arc::clone(frame.schema().inner());
            Ok(concat_batches(&schema, &frame.collect().await?)?)
        })
    }

    /// The logical and the physical plan of a statement.
    pub(crate) fn plans(&self, statement: &str) -> [String; 2] {
        let plans = self.sql(&format!("EXPLAIN FORMAT INDENT {statement}")).unwrap();
        let plans = datafusion::arrow::array::cast::as_string_array(plans.column(1));
        [plans.value(0).to_owned(), plans.value(1).to_owned()]
    }
}
